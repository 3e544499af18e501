"""Frameworks for agents through the gateway, under every strategy: the framework is real, and a script stands in for the model.
What a framework cannot do is expected here, and said in docs/clients.md."""

import asyncio
import json
import os
import sys
from functools import partial
from importlib.metadata import version

import anyio

from checks import Checks
from programs import EVERYTHING, LOG, gateway, http_gateway
from scripted import Model

for name in ("OTEL_SDK_DISABLED", "CREWAI_DISABLE_TELEMETRY", "OPENAI_AGENTS_DISABLE_TRACING"):
    os.environ[name] = "true"
for name in ("MCP_USE_ANONYMIZED_TELEMETRY", "AGNO_TELEMETRY", "CREWAI_TRACING_ENABLED"):
    os.environ[name] = "false"
os.environ["OPENAI_API_KEY"] = "none"

TOOL, ARGUMENTS, SUM = "get-sum", {"a": 2, "b": 3}, "The sum of 2 and 3 is 5"
NAMES, TOPIC = {"names": [TOOL]}, {"topic": TOOL}
# Without the schemas that are listed because they are small (B12).
STUBS = ("--set", "describe.inline_schema_bytes=0", "--set", "info.inline_schema_bytes=0")
# The strategy, its flags, how a tool is learned, and what calls it.
STRATEGIES = {
    "full": ("full", (), None, None),
    "resource": ("resource", (), ("describe_tools", NAMES), None),
    "resource signed": ("resource", ("--set", "resource.receipts=signed"), ("describe_tools", NAMES), None),
    "describe": ("describe", STUBS, ("describe_tools", NAMES), None),
    "info": ("info", STUBS, ("info", TOPIC), None),
    "info entry-only": ("info", (*STUBS, "--set", "info.tools=entry-only"), ("info", TOPIC), "invoke"),
    "search": ("search", (), ("search_tools", {"query": TOOL}), "call_tool"),
    "groups": ("groups", (), ("get_group", {"name": TOOL}), "call_tool"),
}
# Against hangs: many times what an idle machine takes.
SECONDS = 240

# What a server does while a call runs: the tool, its arguments, and what its result says then.
MEANWHILE = {
    "elicitation": ("trigger-elicitation-request", {}, "Ada"),
    "sampling": ("trigger-sampling-request", {"prompt": "p", "maxTokens": 9}, "by the framework"),
    "progress": ("trigger-long-running-operation", {"duration": 0.2, "steps": 2}, "completed"),
}
ANSWER = {"name": "Ada", "check": True}
SAID = MEANWHILE["sampling"][2]


class Callbacks:
    """A framework's callbacks, in the forms that they have. They are declared to servers where they are `wanted`."""

    def __init__(self, wanted=False):
        self.wanted, self.progress = wanted, []

    def if_wanted(self, **callbacks):
        return callbacks if self.wanted else {}

    async def elicited(self, *_):
        from mcp.types import ElicitResult

        return ElicitResult(action="accept", content=ANSWER)

    async def sampled(self, *_):
        from mcp.types import CreateMessageResult, TextContent

        content = TextContent(type="text", text=SAID)
        return CreateMessageResult(role="assistant", content=content, model="scripted")

    async def sampled_text(self, *_):
        return SAID

    async def progressed(self, progress, *_):
        self.progress.append(progress)


async def mcp_use(model, command, callbacks):
    from langchain_openai import ChatOpenAI
    from mcp_use import MCPAgent, MCPClient

    given = callbacks.if_wanted(elicitation_callback=callbacks.elicited, sampling_callback=callbacks.sampled)
    client = MCPClient.from_dict({"mcpServers": {"s": {"command": command[0], "args": command[1:]}}}, **given)
    llm = ChatOpenAI(model="scripted", base_url=model.url)
    try:
        return await MCPAgent(llm=llm, client=client, max_steps=9).run("go")
    finally:
        await client.close_all_sessions()


async def langchain(model, command, callbacks):
    from langchain_mcp_adapters.client import MultiServerMCPClient

    server = {"transport": "stdio", "command": command[0], "args": command[1:]}
    client = MultiServerMCPClient({"s": server}, **langchain_callbacks(callbacks))
    return await langchain_agent(model, await client.get_tools())


def langchain_callbacks(callbacks):
    from langchain_mcp_adapters.callbacks import Callbacks as Given

    given = Given(on_elicitation=callbacks.elicited, on_progress=callbacks.progressed)
    return callbacks.if_wanted(callbacks=given)


async def langchain_http(model, command, _callbacks):
    from langchain_mcp_adapters.client import MultiServerMCPClient

    at = command.index("--")
    async with http_gateway(command[3], command[at + 1 :], *command[4:at]) as origin:
        server = {"transport": "streamable_http", "url": f"{origin}/mcp"}
        return await langchain_agent(model, await MultiServerMCPClient({"s": server}).get_tools())


async def langchain_agent(model, tools):
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    agent = create_agent(ChatOpenAI(model="scripted", base_url=model.url), tools)
    return (await agent.ainvoke({"messages": "go"}))["messages"][-1].text


async def langgraph(model, command, callbacks):
    """The agent as a graph of one's own, and the tools of one session."""
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_mcp_adapters.tools import load_mcp_tools
    from langchain_openai import ChatOpenAI
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    server = {"transport": "stdio", "command": command[0], "args": command[1:]}
    given = langchain_callbacks(callbacks)
    async with MultiServerMCPClient({"s": server}, **given).session("s") as session:
        tools = await load_mcp_tools(session, **given)
        llm = ChatOpenAI(model="scripted", base_url=model.url).bind_tools(tools)

        async def think(state):
            return {"messages": [await llm.ainvoke(state["messages"])]}

        graph = StateGraph(MessagesState).add_node("think", think).add_node("tools", ToolNode(tools))
        graph.add_edge(START, "think").add_conditional_edges("think", tools_condition).add_edge("tools", "think")
        return (await graph.compile().ainvoke({"messages": "go"}))["messages"][-1].text


async def openai_agents(model, command, _callbacks):
    from agents import Agent, OpenAIChatCompletionsModel, Runner
    from agents.mcp import MCPServerStdio
    from openai import AsyncOpenAI

    params = {"command": command[0], "args": command[1:]}
    async with MCPServerStdio(params=params, client_session_timeout_seconds=SECONDS) as server:
        llm = OpenAIChatCompletionsModel("scripted", AsyncOpenAI(base_url=model.url))
        return (await Runner.run(Agent(name="a", mcp_servers=[server], model=llm), "go")).final_output


async def pydantic_ai(model, command, callbacks):
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    llm = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=model.url))
    tools = MCPToolset(StdioTransport(command[0], command[1:]), **fastmcp_handlers(callbacks))
    agent = Agent(llm, toolsets=[tools])
    async with agent:
        return (await agent.run("go")).output


async def agno(model, command, _callbacks):
    from agno.agent import Agent
    from agno.models.openai.like import OpenAILike
    from agno.tools.mcp import MCPTools

    # Its shell words are those of a list of programs that it knows; others are given as parameters.
    from mcp import StdioServerParameters

    server = StdioServerParameters(command=command[0], args=command[1:])
    async with MCPTools(server_params=server, transport="stdio", timeout_seconds=SECONDS) as tools:
        agent = Agent(model=OpenAILike(id="scripted", base_url=model.url), tools=[tools], telemetry=False)
        return (await agent.arun("go")).content


async def llamaindex(model, command, callbacks):
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai_like import OpenAILike
    from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

    given = callbacks.if_wanted(sampling_callback=callbacks.sampled)
    tools = await McpToolSpec(BasicMCPClient(command[0], args=command[1:], **given)).to_tool_list_async()
    llm = OpenAILike(model="scripted", api_base=model.url, is_chat_model=True, is_function_calling_model=True)
    return str(await FunctionAgent(tools=tools, llm=llm).run("go"))


def fastmcp_handlers(callbacks):
    return callbacks.if_wanted(
        elicitation_handler=callbacks.elicited,
        sampling_handler=callbacks.sampled_text,
        progress_handler=callbacks.progressed,
    )


async def mcp(model, command, callbacks):
    """The official SDK alone, 1 or 2."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    given = callbacks.if_wanted(elicitation_callback=callbacks.elicited, sampling_callback=callbacks.sampled)
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with stdio_client(server, errlog=LOG) as streams, ClientSession(*streams, **given) as session:
        await session.initialize()
        report = callbacks.progressed if callbacks.wanted else None
        call = partial(session.call_tool, progress_callback=report)
        return await steps(model, (await session.list_tools()).tools, call)


async def fastmcp(model, command, callbacks):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async with Client(StdioTransport(command[0], command[1:]), **fastmcp_handlers(callbacks)) as client:
        return await steps(model, await client.list_tools(), partial(client.call_tool, raise_on_error=False))


async def steps(model, listed, call):
    """What an agent does, where there is only a client."""
    tools = [{"function": {"name": tool.name, "parameters": schema_of(tool)}} for tool in listed]
    messages = [{"role": "user", "content": "go"}]
    while not isinstance(step := model.step({"tools": tools, "messages": messages}), str):
        result = await call(*step)
        messages.append({"tool_calls": [{"function": {"name": step[0]}}]})
        messages.append({"content": "".join(block.text for block in result.content)})
    return step


def schema_of(tool):
    return getattr(tool, "inputSchema", None) or tool.input_schema


async def smolagents(model, command, _callbacks):
    from mcp import StdioServerParameters
    from smolagents import OpenAIServerModel, ToolCallingAgent, ToolCollection

    def work():
        server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        with ToolCollection.from_mcp(server, trust_remote_code=True, structured_output=False) as tools:
            llm = OpenAIServerModel("scripted", api_base=model.url)
            agent = ToolCallingAgent(tools=[*tools.tools], model=llm, max_steps=4, verbosity_level=0)
            agent.run("go")
            observed = [str(step.observations) for step in agent.memory.steps if getattr(step, "observations", None)]
            return " ".join(observed)

    return await asyncio.to_thread(work)


async def semantic_kernel(model, command, _callbacks):
    from openai import AsyncOpenAI
    from semantic_kernel.agents import ChatCompletionAgent
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
    from semantic_kernel.connectors.mcp import MCPStdioPlugin

    async with MCPStdioPlugin(name="s", command=command[0], args=command[1:]) as plugin:
        llm = OpenAIChatCompletion(ai_model_id="scripted", async_client=AsyncOpenAI(base_url=model.url))
        agent = ChatCompletionAgent(service=llm, name="a", plugins=[plugin])
        return str(await agent.get_response("go"))


async def crewai(model, command, _callbacks):
    from crewai import LLM, Agent
    from crewai_tools import MCPServerAdapter
    from mcp import StdioServerParameters

    def work():
        server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        with MCPServerAdapter(server) as tools:
            llm = LLM(model="openai/gpt-4o", base_url=model.url)
            agent = Agent(role="r", goal="g", backstory="b", tools=list(tools), llm=llm, max_iter=9)
            return str(agent.kickoff("go"))

    return await asyncio.to_thread(work)


async def ai_sdk(model, command, callbacks):
    return await on_npm("ai-sdk", model, command, callbacks)


async def mastra(model, command, callbacks):
    return await on_npm("mastra", model, command, callbacks)


async def typescript_1(model, command, callbacks):
    return await on_npm("sdk-1", model, command, callbacks)


async def typescript_2(model, command, callbacks):
    return await on_npm("sdk-2", model, command, callbacks)


async def on_npm(framework, model, command, callbacks):
    program = os.path.join(os.environ["INTEROP_CACHE"], "node", "typescript", "agents.mjs")
    pipe = asyncio.subprocess.PIPE
    given = json.dumps(ANSWER) if callbacks.wanted else ""
    arguments = (program, framework, model.url, given, *command)
    process = await asyncio.create_subprocess_exec("node", *arguments, stdout=pipe, stderr=LOG)
    return (await process.communicate())[0].decode()


def on_npm_version(package):
    folder = os.path.join(os.environ["INTEROP_CACHE"], "node", "node_modules", package)
    with open(os.path.join(folder, "package.json"), encoding="utf-8") as file:
        return json.load(file)["version"]


# What shows models named parameters only cannot call what `resource` lists.
RESOURCE = ("resource", "resource signed")

# What it has callbacks for.
CALLBACKS = {
    mcp: tuple(MEANWHILE),
    typescript_1: ("elicitation", "sampling"),
    typescript_2: ("elicitation", "sampling"),
    mcp_use: ("elicitation", "sampling"),
    langchain: ("elicitation", "progress"),
    langgraph: ("elicitation", "progress"),
    pydantic_ai: tuple(MEANWHILE),
    fastmcp: tuple(MEANWHILE),
    llamaindex: ("sampling",),
    ai_sdk: ("elicitation",),
    mastra: ("elicitation",),
}

# Where it is installed, and what it cannot do.
FRAMEWORKS = {
    mcp: ("mcp", ()),
    typescript_1: ("@modelcontextprotocol/sdk", ()),
    typescript_2: ("@modelcontextprotocol/client", ()),
    mcp_use: ("mcp-use", RESOURCE),
    langchain: ("langchain-mcp-adapters", ()),
    langchain_http: ("langchain-mcp-adapters", ()),
    langgraph: ("langgraph", ()),
    openai_agents: ("openai-agents", ()),
    pydantic_ai: ("pydantic-ai-slim", ()),
    fastmcp: ("fastmcp", ()),
    agno: ("agno", ()),
    llamaindex: ("llama-index-tools-mcp", RESOURCE),
    smolagents: ("smolagents", RESOURCE),
    # Its plug-in has a method `call_tool` of its own.
    semantic_kernel: ("semantic-kernel", (*RESOURCE, "search", "groups")),
    # It closes every object.
    crewai: ("crewai", (*RESOURCE, "describe", "info")),
    ai_sdk: ("@ai-sdk/mcp", RESOURCE),
    mastra: ("@mastra/mcp", RESOURCE),
}


async def main(names):
    checks = Checks("frameworks " + ", ".join(names))
    with open(os.path.join(os.environ["INTEROP_HERE"], "../../docs/clients.md"), encoding="utf-8") as file:
        page = file.read()
    for framework, (package, cannot) in FRAMEWORKS.items():
        if framework.__name__ not in names:
            continue
        found = on_npm_version if package.startswith("@") else version
        place = f"{framework.__name__} {found(package)}"
        checks.true(f"{place}: docs/clients.md names this version", f" {found(package)}" in page)
        for named, (strategy, flags, lesson, by) in STRATEGIES.items():
            async with checks.group(f"{place}, {named}", SECONDS):
                model = Model(TOOL, ARGUMENTS, lesson, by)
                said = await what_it_says(framework, model, gateway(strategy, EVERYTHING, *flags), Callbacks())
                if named in cannot:
                    checks.true("cannot call", SUM not in said, "it can")
                else:
                    checks.true("a call", SUM in said, said)
        for what in CALLBACKS.get(framework, ()):
            tool, arguments, expected = MEANWHILE[what]
            for strategy, lesson, by in (("full", None, None), ("search", ("search_tools", {"query": tool}), "call_tool")):
                async with checks.group(f"{place}, {what}, {strategy}", SECONDS):
                    callbacks = Callbacks(wanted=True)
                    model = Model(tool, arguments, lesson, by)
                    said = await what_it_says(framework, model, gateway(strategy, EVERYTHING), callbacks)
                    checks.true("an answer", expected in said, said)
                    if what == "progress":
                        checks.equal("progress", callbacks.progress, [1.0, 2.0])
    return checks.close()


async def what_it_says(framework, model, command, callbacks):
    try:
        # In a loop of its own: what a framework leaves open ends with it.
        run = partial(asyncio.run, framework(model, command, callbacks))
        return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
    except Exception as error:  # noqa: BLE001 - for some it is expected
        return f"{type(error).__name__}: {error}"


sys.exit(anyio.run(main, sys.argv[1:]))
