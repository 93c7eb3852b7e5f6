// Dragging, the same everywhere: by mouse, pen or finger. What is held follows the hand; Escape, a second
// finger or a lost pointer cancels; lists scroll by themselves near their edges.

/**
 * Where the hand is, in pixels of the window.
 * @typedef {{ x: number, y: number, touch: boolean, target: EventTarget | null }} Hand
 */

/**
 * What happens to the thing that was grabbed.
 * @typedef {object} Gesture
 * @property {(hand: Hand) => void} [begin] the hand has moved far enough to be a drag
 * @property {(hand: Hand) => void} move at most once a frame
 * @property {(hand: Hand) => void} drop
 * @property {() => void} [cancel]
 * @property {() => void} [tap] released without a drag
 */

/**
 * @typedef {object} Options
 * @property {() => Element | null} [scroller] the element that scrolls near its edges during a drag
 * @property {(scale: number, centre: Hand, dx: number, dy: number) => void} [pinch] two fingers
 */

const FAR = 6; // pixels of movement that make a drag
const EDGE = 56; // pixels from the edge of a list within which it scrolls
const SPEED = 0.3; // pixels a frame for each pixel into the edge

/** @param {PointerEvent} event @returns {Hand} */
const handOf = (event) => ({
  x: event.clientX,
  y: event.clientY,
  touch: event.pointerType === "touch",
  target: event.target,
});

/**
 * How far to scroll in this frame.
 * @param {number} y
 * @param {{ top: number, bottom: number }} box
 */
function scrollStep(y, { top, bottom }) {
  if (y < top + EDGE) return SPEED * (y - top - EDGE);
  if (y > bottom - EDGE) return SPEED * (y - bottom + EDGE);
  return 0;
}

/**
 * Make the things on a surface draggable.
 * @param {HTMLElement | SVGElement} surface
 * @param {(hand: Hand) => Gesture | null} grab decides what a pressed pointer takes hold of
 * @param {Options} [options]
 * @returns {{ readonly active: boolean }}
 */
export function makeDraggable(surface, grab, { scroller, pinch } = {}) {
  /** @type {{ gesture: Gesture, id: number, start: Hand, hand: Hand, begun: boolean } | null} */
  let held = null;
  let frame = 0;
  const fingers = new Map(); // pointers that pinch, by id

  function begin() {
    if (!held) return;
    held.begun = true;
    surface.setPointerCapture(held.id);
    document.documentElement.classList.add("dragging");
    held.gesture.begin?.(held.start);
  }

  function scroll() {
    const element = scroller?.();
    if (!element || !held) return 0;
    const step = scrollStep(held.hand.y, element.getBoundingClientRect());
    const before = element.scrollTop;
    if (step) element.scrollTop += step;
    return element.scrollTop - before;
  }

  function paint() {
    frame = 0;
    if (!held?.begun) return;
    const scrolled = scroll();
    held.gesture.move(held.hand);
    if (scrolled) frame = requestAnimationFrame(paint);
  }

  /** End the gesture. @returns {typeof held} what was held */
  function end() {
    const last = held;
    held = null;
    cancelAnimationFrame(frame);
    frame = 0;
    document.documentElement.classList.remove("dragging");
    if (last && surface.hasPointerCapture(last.id)) surface.releasePointerCapture(last.id);
    return last;
  }

  function cancel() {
    const last = end();
    if (last?.begun) last.gesture.cancel?.();
  }

  /** The click that follows a drag is not a choice. */
  function swallowClick() {
    const stop = (/** @type {Event} */ event) => {
      event.stopPropagation();
      event.preventDefault();
    };
    surface.addEventListener("click", stop, { capture: true, once: true });
    setTimeout(() => surface.removeEventListener("click", stop, { capture: true }));
  }

  /** @param {PointerEvent} event */
  function down(event) {
    if (event.button !== 0) return;
    if (event.pointerType === "touch" && pinch) fingers.set(event.pointerId, handOf(event));
    if (held || fingers.size > 1) {
      cancel();
      return;
    }
    const hand = handOf(event);
    const gesture = grab(hand);
    if (gesture) held = { gesture, id: event.pointerId, start: hand, hand, begun: false };
  }

  /** @param {PointerEvent} event */
  function move(event) {
    if (fingers.size > 1 && fingers.has(event.pointerId)) {
      spread(event);
      return;
    }
    if (held?.id !== event.pointerId) return;
    held.hand = handOf(event);
    const { start, hand } = held;
    if (!held.begun && Math.hypot(hand.x - start.x, hand.y - start.y) < FAR) return;
    if (!held.begun) begin();
    if (!frame) frame = requestAnimationFrame(paint);
  }

  /** Two fingers move: tell how far they spread and where to. @param {PointerEvent} event */
  function spread(event) {
    const [a, b] = [...fingers.values()];
    fingers.set(event.pointerId, handOf(event));
    const [c, d] = [...fingers.values()];
    const before = Math.hypot(a.x - b.x, a.y - b.y) || 1;
    const after = Math.hypot(c.x - d.x, c.y - d.y) || 1;
    const centre = { ...c, x: (c.x + d.x) / 2, y: (c.y + d.y) / 2 };
    pinch?.(after / before, centre, centre.x - (a.x + b.x) / 2, centre.y - (a.y + b.y) / 2);
  }

  /** @param {PointerEvent} event */
  function up(event) {
    fingers.delete(event.pointerId);
    if (held?.id !== event.pointerId) return;
    held.hand = handOf(event);
    if (!held.begun) {
      end()?.gesture.tap?.();
      return;
    }
    held.gesture.move(held.hand);
    const last = end();
    swallowClick();
    last?.gesture.drop(last.hand);
  }

  /** @param {PointerEvent} event */
  function lost(event) {
    fingers.delete(event.pointerId);
    if (held?.id === event.pointerId) cancel();
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.key !== "Escape" || !held?.begun) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    cancel();
  }

  const on = /** @type {HTMLElement} */ (surface); // both kinds of surface have these events
  on.addEventListener("pointerdown", down);
  on.addEventListener("pointermove", move);
  on.addEventListener("pointerup", up);
  on.addEventListener("pointercancel", lost);
  // A finger is captured by the thing it touches first; that thing's loss is no cancel.
  on.addEventListener("lostpointercapture", (event) => event.target === surface && lost(event));
  // Without this the browser may take a finger's movement for scrolling and cancel the drag.
  on.addEventListener("touchstart", (event) => held && event.cancelable && event.preventDefault(), {
    passive: false,
  });
  window.addEventListener("keydown", key, { capture: true });
  return {
    get active() {
      return held?.begun ?? false;
    },
  };
}
