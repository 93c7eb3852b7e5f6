// A look at a proposal from the queue: accept it as it is, or open it to edit.

import { at, post } from "../app/api.js";
import { Draft } from "../app/draft.js";
import { loadEditor } from "../app/editors.js";
import { button, h, kbd } from "../app/elements.js";
import { likely, upper } from "../app/format.js";
import { forWhom } from "../app/names.js";
import { leaveNotice, showNotice } from "../app/notice.js";
import { messageOf, name, QUIET, study } from "../app/shell.js";

/** @import { Proposal, Ticket } from "../app/types.js" */

/**
 * Lease a proposal and show it. The lease makes sure that what is seen is what is accepted.
 * @param {Ticket} ticket @param {() => void} closed
 */
export async function openPreview(ticket, closed) {
  const { module, omitted } = await loadEditor();
  const path = at(study, `/proposals/${ticket.id}`);
  /** @type {[Proposal, unknown]} */
  const [data, prepared] = await Promise.all([
    post(`${path}/claim?${omitted}`),
    module.prepare?.(study),
  ]);
  const draft = new Draft(study, data, () => {});
  const prompt = h("p", { hidden: true });
  const editor = module.mount({ draft, prompt, editable: () => false, prepared });
  const trouble = h("p", { role: "alert", class: "warning" });
  const title = ticket.label || `Proposal ${ticket.id}`;
  let accepted = false;
  const accept = button(["Accept as proposed ", kbd("Enter")], submit, {
    class: "primary",
    id: "accept",
    disabled: true,
  });
  const dialog = h(
    "dialog",
    { class: "preview", "aria-label": title },
    h(
      "div",
      { class: "row" },
      h("h2", { dir: "auto", text: title }),
      forWhom(data, name),
      h("span", { class: "hint", text: upper(likely(data.chance)) }),
    ),
    h("section", { class: "canvas", "aria-label": "Proposal" }, editor.canvas),
    h(
      "div",
      { class: "row" },
      accept,
      button("Open to edit", () => location.assign(`/s/${study}/p/${ticket.id}`)),
      button(["Close ", kbd("Esc")], () => dialog.close()),
      trouble,
    ),
  );

  async function submit() {
    accept.disabled = true;
    try {
      leaveNotice(await draft.submit(true, ""), 0, data.meant_for);
      accepted = true;
      dialog.close();
      showNotice();
    } catch (error) {
      trouble.textContent = messageOf(error);
      accept.disabled = false;
    }
  }

  dialog.addEventListener("close", async () => {
    dialog.remove();
    if (!accepted) await post(`${path}/release`).catch(() => null);
    closed();
  });
  document.body.append(dialog);
  dialog.showModal();
  editor.render(data);
  setTimeout(() => {
    accept.disabled = false;
    accept.focus();
  }, QUIET);
}
