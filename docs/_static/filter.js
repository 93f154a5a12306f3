// On the pages of measures and of the API: a filter, and entries that show their first lines until somebody wants more.

(() => {
  // Other pages have sections of these names, too. Only here are they the whole page.
  const page = document.querySelector("section#measures > h1, section#api > h1")?.parentElement;

  /** The entries of the page: a section for each measure, or the description of each function and class. */
  const entries = page
    ? [...page.querySelectorAll(page.id === "measures" ? ":scope > section > section" : ":scope > section > dl.py")]
    : [];

  /** What is shown of an entry: its name and the first paragraph. The rest is hidden. */
  function fold(entry) {
    const inner = entry.matches("dl") ? entry.querySelector(":scope > dd") : entry;
    const first = inner.querySelector(":scope > p");
    const rest = [...inner.children].filter((child) => child !== first && !/^H\d$/.test(child.tagName));
    if (!rest.length) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "unfold";
    const set = (open) => {
      entry.classList.toggle("folded", !open);
      button.textContent = open ? "Less" : "More";
      button.setAttribute("aria-expanded", String(open));
    };
    rest.forEach((child) => child.classList.add("rest"));
    button.addEventListener("click", () => set(entry.classList.contains("folded")));
    (first ?? inner.firstElementChild).after(button);
    entry.addEventListener("unfold", () => set(true));
    set(false);
  }

  /** Show the entry to which the address leads. */
  function unfoldTarget() {
    const name = decodeURIComponent(location.hash.slice(1));
    // As GitHub writes it (err_ia), or as docutils does (err-ia): MyST before 5.2 writes only the second.
    const target = document.getElementById(name) ?? document.getElementById(name.replaceAll("_", "-"));
    const entry = entries.find((one) => target && (one === target || one.contains(target)));
    if (!entry) return;
    entry.dispatchEvent(new Event("unfold"));
    target.scrollIntoView({ behavior: "instant" });
  }

  if (page) {
    const names = entries.map((entry) => (entry.querySelector("h3, dt").textContent + entry.textContent).toLowerCase());
    const rows = [...page.querySelectorAll(":scope > section > .table-wrapper > table > tbody > tr")];
    entries.forEach(fold);
    // On a phone, the entries say more than a wide table.
    if (matchMedia("(max-width: 40rem)").matches)
      for (const table of page.querySelectorAll(":scope > section > .table-wrapper")) {
        const details = document.createElement("details");
        const summary = document.createElement("summary");
        summary.textContent = "Table";
        table.replaceWith(details);
        details.append(summary, table);
      }
    const label = document.createElement("label");
    const input = document.createElement("input");
    const left = document.createElement("span");
    input.type = "search";
    input.autocomplete = "off";
    left.setAttribute("role", "status");
    label.className = "entry-filter";
    label.append("Show only what contains ", input, " ", left);
    page.querySelector("h1").after(label);
    const update = () => {
      const wanted = input.value.trim().toLowerCase();
      const shown = entries.filter((entry, i) => {
        entry.hidden = !names[i].includes(wanted);
        return !entry.hidden;
      });
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      for (const group of page.querySelectorAll(":scope > section"))
        group.hidden = wanted !== "" && !shown.some((entry) => group.contains(entry));
      left.textContent = `${shown.length} of ${entries.length}`;
    };
    input.addEventListener("input", update);
    update();
    addEventListener("hashchange", unfoldTarget);
    // The browser goes to the place where the entry was before the others were folded, so wait for it.
    addEventListener("load", unfoldTarget);
  }
})();
