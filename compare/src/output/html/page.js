// A click on a heading sorts by it: names from a to z, figures from the largest, and then the other way round.
for (const table of document.querySelectorAll("table.sorts")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, at) => heading.querySelector("button").addEventListener("click", () => {
    const numeric = heading.classList.contains("figure");
    const first = numeric ? "descending" : "ascending";
    const second = numeric ? "ascending" : "descending";
    const order = heading.getAttribute("aria-sort") === first ? second : first;
    const sign = order === "ascending" ? 1 : -1;
    const value = row => numeric ? Number(row.cells[at].dataset.number ?? -1) : row.cells[at].textContent;
    const compare = (a, b) => numeric ? a - b : a.localeCompare(b);
    const rows = [...table.tBodies[0].rows].sort((a, b) => sign * compare(value(a), value(b)));
    headings.forEach(other => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", order);
    table.tBodies[0].append(...rows);
  }));
}
// Paper cannot be unfolded.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(folded => { folded.open = true; }));
