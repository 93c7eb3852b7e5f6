// While the route is pulled over the map, one request is under way at a time; those that were overtaken
// are never sent.

/** @import { Way } from "./map.js" */

export class Pull {
  /** @type {number | null} */
  #next = null;
  /** @type {number | null} the road that was asked about last */
  #link = null;
  /** @type {Way[] | null} */
  #ways = null;
  /** @type {Promise<void> | null} */
  #running = null;

  /**
   * @param {(link: number) => Promise<Way[] | null>} find
   * @param {(way: Way | null) => void} show
   */
  constructor(find, show) {
    this.find = find;
    this.show = show;
  }

  /** The route was pulled onto a road, or onto none. @param {number | null} link */
  over(link) {
    if (link === null) {
      this.#next = this.#link = this.#ways = null;
      return;
    }
    this.#next = link;
    this.#running ??= this.#follow().finally(() => {
      this.#running = null;
    });
  }

  /**
   * What was found for the road that it was dropped on; null if nothing was asked.
   * @param {number} link
   */
  async end(link) {
    await this.#running;
    this.show = () => {};
    return this.#link === link ? this.#ways : null;
  }

  async #follow() {
    while (this.#next !== null) {
      const link = this.#next;
      [this.#link, this.#next] = [link, null];
      const ways = await this.find(link);
      if (this.#link !== link) continue; // pulled off all roads meanwhile
      this.#ways = ways;
      if (ways) this.show(ways[0] ?? null);
    }
  }
}
