"""The servers of the info-tool document, written from it alone with the official Python SDK 1.x.

    info_server.py math|quantum|molecular|neural
"""

import sys
from typing import Any, Literal

from mcp.server.fastmcp import FastMCP

SOLVE = {
    "tool": "symbolic_solve",
    "description": "Solve algebraic and transcendental equations symbolically",
    "parameters": {
        "equations": {
            "type": "string or array",
            "description": "Equation(s) to solve",
            "required": True,
            "examples": ["x**2 - 4", ["x + y - 3", "x - y - 1"]],
        },
        "variables": {"type": "string or array", "description": "Variable(s) to solve for", "required": False},
        "domain": {
            "type": "string",
            "options": ["real", "complex", "positive", "integer"],
            "default": "complex",
        },
    },
    "returns": {"solutions": "List of solutions", "variables": "Variables solved for"},
    "examples": [{"input": {"equations": "x**2 - 4"}, "output": {"solutions": [-2, 2]}}],
}

# By server: its overview without the categories, and these with their purposes and tools.
SERVERS = {
    "math": (
        {
            "name": "Math MCP",
            "version": "1.0.0",
            "description": "Symbolic and numerical computing with GPU acceleration",
            "gpu_available": True,
        },
        {
            "symbolic": (
                "Symbolic algebra operations",
                "Symbolic algebra operations using SymPy",
                {
                    "symbolic_solve": "Solve algebraic equations",
                    "symbolic_diff": "Compute derivatives",
                    "symbolic_integrate": "Compute integrals",
                    "symbolic_simplify": "Simplify expressions",
                },
            ),
            "numerical": (
                "GPU-accelerated numerical computing",
                "GPU-accelerated numerical computing",
                {
                    "matrix_multiply": "Multiply matrices",
                    "create_array": "Create an array",
                    "solve_linear_system": "Solve a linear system",
                },
            ),
            "transforms": (
                "FFT and signal processing",
                "FFT and signal processing",
                {"fft": "Compute a Fourier transform", "ifft": "Compute an inverse Fourier transform"},
            ),
            "optimization": (
                "Function optimization and root finding",
                "Function optimization and root finding",
                {"optimize_function": "Minimize a function", "find_roots": "Find roots of a function"},
            ),
        },
    ),
    "quantum": (
        {"name": "Quantum MCP"},
        {
            "potentials": {"create_lattice_potential": "Create a lattice", "create_custom_potential": "Create a potential"},
            "wavepackets": {"create_gaussian_wavepacket": "Create a packet", "create_plane_wave": "Create a wave"},
            "simulations": {
                "solve_schrodinger": "Solve the 1D Schrödinger equation",
                "solve_schrodinger_2d": "Solve the 2D Schrödinger equation",
                "get_task_status": "Get the status of a simulation",
            },
            "analysis": {"analyze_wavefunction": "Analyze a wave function", "compute_energy": "Compute the energy"},
            "visualization": {"render_video": "Render a simulation", "visualize_potential": "Plot a potential"},
        },
    ),
    "molecular": (
        {"name": "Molecular MCP"},
        {
            "system": {"create_particles": "Create particles", "add_potential": "Add an interaction"},
            "simulation": {"run_md": "Run dynamics", "run_nvt": "Run at a temperature", "run_npt": "Run at a pressure"},
            "analysis": {
                "get_trajectory": "Get a trajectory",
                "compute_rdf": "Compute the radial distribution function",
                "compute_msd": "Compute the mean square displacement",
                "analyze_temperature": "Analyze the temperature",
                "detect_phase_transition": "Detect a phase transition",
            },
            "visualization": {"density_field": "Show the density", "render_trajectory": "Render a trajectory"},
        },
    ),
    "neural": (
        {"name": "Neural MCP"},
        {
            "models": {"define_model": "Define a model", "load_pretrained": "Load a model", "get_model_summary": "Sum up a model"},
            "data": {"load_dataset": "Load a data set", "create_dataloader": "Create a loader"},
            "training": {"train_model": "Train a model", "get_experiment_status": "Get the status of a training"},
            "evaluation": {"evaluate_model": "Evaluate a model", "compute_metrics": "Compute metrics"},
            "tuning": {"tune_hyperparameters": "Search hyperparameters"},
            "visualization": {
                "plot_curves": "Plot a training",
                "confusion_matrix": "Plot a confusion matrix",
                "visualize_predictions": "Show predictions",
            },
            "deployment": {"export_model": "Export a model"},
        },
    ),
}

ABOUT, WRITTEN = SERVERS[sys.argv[1]]
CATEGORIES = {
    name: said if isinstance(said, tuple) else (f"Tools for {name}", f"Tools for {name}", said)
    for name, said in WRITTEN.items()
}
TOOLS = {name: brief for _, _, tools in CATEGORIES.values() for name, brief in tools.items()}

mcp = FastMCP(f"{sys.argv[1]}-mcp")


@mcp.tool()
async def info(topic: str = "overview") -> dict[str, Any]:
    """Progressive discovery of server capabilities."""
    if topic == "overview":
        categories = {name: {"count": len(tools), "description": said} for name, (said, _, tools) in CATEGORIES.items()}
        facts = {key: value for key, value in ABOUT.items() if key == "gpu_available"}
        about = {key: value for key, value in ABOUT.items() if key != "gpu_available"}
        return {**about, "categories": categories, "total_tools": len(TOOLS), **facts}
    if topic in CATEGORIES:
        _, said, tools = CATEGORIES[topic]
        briefs = [{"name": name, "brief": brief} for name, brief in tools.items()]
        return {"category": topic, "description": said, "tools": briefs}
    if topic in TOOLS:
        return documentation(topic)
    return {"error": f"Unknown topic: {topic}"}


def documentation(tool):
    if tool == "symbolic_solve":
        return SOLVE
    return {
        "tool": tool,
        "description": f"{TOOLS[tool]}, as its documentation says in full, with what it is for and what it needs",
        "parameters": {
            "steps": {
                "type": "integer",
                "description": "How many steps are made before the result is returned",
                "required": False,
                "default": 10,
                "examples": [10, 100],
            }
        },
        "returns": {"done": "How many steps were made"},
        "examples": [{"input": {"steps": 3}, "output": {"done": 3}}],
        "related": [other for other in TOOLS if other != tool][:2],
    }


def symbolic_solve(
    equations: str | list[str],
    variables: str | list[str] | None = None,
    domain: Literal["real", "complex", "positive", "integer"] = "complex",
) -> dict[str, Any]:
    """Solve equations symbolically."""
    known = {"x**2 - 4": [-2, 2], "x**3 - 6*x**2 + 11*x - 6": [1, 2, 3]}
    return {"solutions": known.get(str(equations), []), "variables": ["x"]}


def simulated(steps: int = 10) -> dict[str, Any]:
    return {"done": steps}


for name, brief in TOOLS.items():
    if name == "symbolic_solve":
        mcp.add_tool(symbolic_solve)
    else:
        mcp.add_tool(simulated, name=name, description=f"{brief}.")

mcp.run()
