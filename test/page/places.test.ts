import { afterEach, describe, expect, it, vi } from "vitest"
import { byNamespaceAndName } from "../../src/page/place.ts"
import { shownName } from "../../src/domain/shownName.ts"

describe("Deployments on the page", () => {
  afterEach(() => void vi.restoreAllMocks())

  it("stand in one order, whatever language the browser speaks", () => {
    // In Denmark a double a is the last letter.
    const danish = new Intl.Collator("da")
    vi.spyOn(String.prototype, "localeCompare").mockImplementation(function (this: string, other: string) {
      return danish.compare(this, other)
    })
    const all = [
      { namespace: "shop", name: "a" },
      { namespace: "default", name: "zoo" },
      { namespace: "default", name: "aarhus" },
      { namespace: "default", name: "web" },
      { namespace: "aalborg", name: "a" }
    ]
    expect(all.sort(byNamespaceAndName).map(shownName)).toEqual([
      "aalborg/a",
      "aarhus",
      "web",
      "zoo",
      "shop/a"
    ])
  })
})
