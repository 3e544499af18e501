"""One connection, heard on the wire: the answers as they came, before an SDK's models drop anything."""

from collections import defaultdict


class Wire:
    """Stands between an SDK's transport and its session and remembers what passes."""

    def __init__(self):
        self.methods = {}
        self.sent_params = {}
        self.answers = defaultdict(list)
        self.forget()

    def forget(self):
        """What the server says and asks on its own is remembered from here on."""
        self.progress, self.logs, self.questions = [], [], []

    def between(self, read, write):
        return Tap(read, self._received), Tap(write, self._sent)

    def _sent(self, message):
        if method := getattr(message, "method", None):
            self.methods[getattr(message, "id", None)] = method
            self.sent_params[method] = message.params

    def _received(self, message):
        if hasattr(message, "result"):
            self.answers[self.methods.get(message.id)].append({"result": message.result})
            self.questions += (question(**asked) for asked in (message.result.get("inputRequests") or {}).values())
        elif hasattr(message, "error"):
            error = message.error.model_dump(by_alias=True, exclude_unset=True)
            self.answers[self.methods.get(message.id)].append({"error": error})
        elif hasattr(message, "id"):
            self.questions.append(question(message.method, message.params))
        elif message.method == "notifications/progress":
            self.progress.append({k: v for k, v in message.params.items() if k != "progressToken"})
        elif message.method == "notifications/message":
            self.logs.append(message.params)


def question(method, params=None):
    """What is asked of a client, alike in both eras: a request of its own, or part of an `input_required` result."""
    return {"method": method, "params": {k: v for k, v in (params or {}).items() if k != "_meta"}}


class Tap:
    """A stream that shows each message to a listener and is otherwise the stream it wraps."""

    def __init__(self, stream, listener):
        self._stream = stream
        self._listener = listener

    def _show(self, item):
        if not isinstance(item, Exception):
            # SDK 1.x wraps the message in a root model, 2.x does not.
            self._listener(getattr(item.message, "root", item.message))
        return item

    async def send(self, item):
        await self._stream.send(self._show(item))

    async def receive(self):
        return self._show(await self._stream.receive())

    def __aiter__(self):
        return self

    async def __anext__(self):
        return self._show(await self._stream.__anext__())

    async def __aenter__(self):
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error):
        return await self._stream.__aexit__(*error)

    def __getattr__(self, name):
        return getattr(self._stream, name)
