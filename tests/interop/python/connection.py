"""An SDK's session, asked through its public API; each answer is the raw `{"result"}` or `{"error"}`."""


class Connection:
    """What the two SDKs share; `sdk1` and `sdk2` say what differs."""

    errors = ()
    modern = False

    def __init__(self, session, wire):
        self.session = session
        self.wire = wire

    @property
    def handshake(self):
        """The result of `initialize`, or of `server/discover` where that decided the era."""
        return (self.wire.answers["initialize"] or self.wire.answers["server/discover"])[-1]["result"]

    def uri(self, text):
        return text

    async def ask(self, method, question):
        # By method, not the last answer: for a tool it has not seen listed, an SDK lists between the call
        # and its return, to check the result's structured content against the `outputSchema` listed.
        before = len(self.wire.answers[method])
        try:
            await question
        except self.errors:
            pass  # the answer below carries it, with every field
        answers = self.wire.answers[method][before:]
        # Client 2.x serves a list or a read again from its own cache for as long as `ttlMs` says.
        if not answers:
            raise RuntimeError(f"no answer to {method} on the wire")
        return answers[-1]

    async def tools(self):
        return await self.ask("tools/list", self.session.list_tools())

    async def call(self, tool, arguments, heard=None, **options):
        """`heard` is called with each progress notification; without it the SDK sends no progress token."""
        return await self.ask("tools/call", self.session.call_tool(tool, arguments, progress_callback=heard, **options))

    async def prompts(self):
        return await self.ask("prompts/list", self.session.list_prompts())

    async def prompt(self, name, arguments):
        return await self.ask("prompts/get", self.session.get_prompt(name, arguments))

    async def resources(self):
        return await self.ask("resources/list", self.session.list_resources())

    async def read(self, uri):
        return await self.ask("resources/read", self.session.read_resource(self.uri(uri)))

    async def templates(self):
        return await self.ask("resources/templates/list", self.session.list_resource_templates())

    async def complete(self, reference, argument, context=None):
        return await self.ask("completion/complete", self.session.complete(reference, argument, context))
