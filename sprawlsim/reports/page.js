"use strict";
(() => {
  const narrow = matchMedia("(max-width: 60rem)");
  const contents = document.querySelector("nav details");

  // Contents: open beside the text, closed above it; closed again once a place is chosen.
  const fold = () => { contents.open = !narrow.matches; };
  fold();
  narrow.addEventListener("change", fold);
  contents.addEventListener("click", (event) => {
    if (narrow.matches && event.target.closest("a")) contents.open = false;
  });

  // The section that is being read is marked in the contents.
  const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const seen = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) seen.add(entry.target.id);
      else seen.delete(entry.target.id);
    }
    const current = [...links.keys()].find((id) => seen.has(id));
    for (const [id, link] of links) {
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-10% 0px -60% 0px" });
  for (const id of links.keys()) watcher.observe(document.getElementById(id));

  // Tables sort by a heading: numbers from the highest, names from A; then the other way; then as they were.
  const key = (row, column, numeric) => {
    const cell = row.cells[column];
    if (numeric) return "value" in cell.dataset ? Number(cell.dataset.value) : null;
    return cell.textContent.trim();
  };
  const compare = (a, b) => typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
  const sort = (table, rows, column) => {
    const head = table.tHead.rows[0].cells[column];
    const numeric = head.classList.contains("number");
    const first = numeric ? "descending" : "ascending";
    const second = numeric ? "ascending" : "descending";
    const order = { none: first, [first]: second, [second]: "none" }[head.getAttribute("aria-sort")];
    for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", order);
    const sign = order === "descending" ? -1 : 1;
    const sorted = rows.map((row) => [key(row, column, numeric), row]);
    if (order !== "none") {
      sorted.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null); // what is missing is last, either way
        return sign * compare(a, b);
      });
    }
    table.tBodies[0].append(...sorted.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll("main table")) {
    const rows = [...table.tBodies[0].rows];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => sort(table, rows, column));
    });
  }

  // On paper, nothing is folded up.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
})();
