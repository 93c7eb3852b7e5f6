// The domain's operators on routes, as the server has them: two stops and a name make a move.

/** Routes as rows whose indices are the domain's positions; a plan's depot is place 0 of each row. */
export function rowsOf(domain, solution) {
  if (domain === "tour") return [solution];
  return domain === "plan" ? solution.map((stops) => [0, ...stops]) : solution;
}

/** The move that an operator on two stops is, or a sentence why there is none. */
export function moveOf(domain, rows, op, from, to) {
  const no = (refusal) => ({ refusal });
  const yes = (...args) => ({ move: { op, args } });
  if (op !== "reverse") {
    const [r, i, t, j] = [from.r, from.k, to.r, to.k];
    if (op === "move") {
      if (i === 0) return no("The depot stays where it is; choose a stop to move.");
      return r === t && (j === i || j === i - 1) ? no("It is there already.") : yes(r, i, t, j);
    }
    if (op === "swap")
      return i === 0 || j === 0
        ? no("The depot cannot be swapped; choose two stops.")
        : yes(r, i, t, j);
    return r === t ? no("Choose stops of two different routes.") : yes(r, i, t, j);
  }
  if (from.r !== to.r) return no("A stretch lies on one route; choose both ends on the same one.");
  const length = rows[from.r].length;
  let [i, j] = [Math.min(from.k, to.k), Math.max(from.k, to.k)];
  if (domain === "tour") {
    // The first stop stays; turning a stretch that holds it is turning the rest: the same round the other way.
    if (i === 0) [i, j] = [j + 1, length - 1];
    return j - i < 1 || (i === 1 && j === length - 1)
      ? no("That would leave the round as it is.")
      : yes(i, j);
  }
  if (domain === "fleet" && (i === 0 || j === length - 1))
    return no("Where a route starts and ends is fixed; choose stops in between.");
  if (domain === "plan" && i === 0) i = 1;
  return j - i < 1 ? no("A stretch has at least two stops.") : yes(from.r, i, j);
}

/** The rows a move leads to. */
export function applied(domain, rows, { op, args }) {
  const next = rows.map((row) => [...row]);
  if (op === "reverse") {
    const [r, i, j] = domain === "tour" ? [0, ...args] : args;
    next[r].splice(i, j - i + 1, ...next[r].slice(i, j + 1).reverse());
    return next;
  }
  const [r, i, t, j] = args;
  if (op === "move") {
    const [stop] = next[r].splice(i, 1);
    next[t].splice(r === t && j > i ? j : j + 1, 0, stop);
  } else if (op === "swap") [next[r][i], next[t][j]] = [next[t][j], next[r][i]];
  else {
    const tails = [next[r].splice(i + 1), next[t].splice(j + 1)];
    next[r].push(...tails[1]);
    next[t].push(...tails[0]);
  }
  return next;
}
