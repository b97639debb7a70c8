// How a query was worked out: its steps, with what was expected beside what was found.
import { $, make, number } from "./server.js";

const longest = (step) => Math.max(step.microseconds, ...(step.inputs ?? []).map(longest));

export function draw(explanation, light) {
  const most = Math.max(1, ...explanation.plans.map((plan) => longest(plan.step)));
  const box = (step) => {
    const bar = make("div", { className: "bar" });
    bar.style.width = step.microseconds / most * 100 + "%";
    const isOff = !step.isExact && Math.max(step.rows, 1) / Math.max(step.estimatedRows, 1) > 10 || !step.isExact && Math.max(step.estimatedRows, 1) / Math.max(step.rows, 1) > 10;
    const figures = `${step.isExact ? "" : "about " + number.format(step.estimatedRows) + " expected, "}${number.format(step.rows)} found, ${number.format(Number(step.microseconds.toPrecision(3)))} µs`;
    const item = make("li", {}, make("div", { className: "step" },
      make("b", { textContent: step.name + (step.field ? " · " + step.field : "") }), make("code", { textContent: step.detail ?? "" }),
      make("div", { className: isOff ? "off" : "faint", textContent: figures }), bar));
    if (step.inputs?.length) item.append(make("ul", { className: "steps" }, ...step.inputs.map(box)));
    return item;
  };
  const noteOf = (words, part) => {
    const note = make("p", { className: "note" }, words);
    note.addEventListener("pointerenter", () => light(part.start, part.end));
    note.addEventListener("pointerleave", () => light(0, 0));
    return note;
  };
  $("plan").replaceChildren(
    make("p", { className: "faint" }, make("code", { textContent: explanation.simplified ?? explanation.predicate })),
    make("ul", { className: "steps first" }, ...explanation.plans.map((plan) => box(plan.step))),
    ...explanation.scans.map((scan) => noteOf(`Every record is read for ${scan.part}: ${scan.reason}.`, scan)),
    ...explanation.advice.map((advice) => noteOf(
      `An index would help: mark ${advice.field} as ${advice.mark} (${advice.index}); about ${number.format(advice.rowsNeeded)} rows would be read in place of ${number.format(advice.rowsRead)}.`, advice)),
    ...(explanation.scans.length + explanation.advice.length ? [] : [make("p", { className: "faint", textContent: "No part of the predicate reads every record." })]));
}
