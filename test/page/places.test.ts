import { afterEach, describe, expect, it, vi } from "vitest"
import { byNamespaceAndName, hashProblem } from "../../src/page/pageAddress.ts"
import { displayName } from "../../src/kubernetes/meta/text/displayName.ts"

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
    expect(all.sort(byNamespaceAndName).map(displayName)).toEqual([
      "aalborg/a",
      "aarhus",
      "web",
      "zoo",
      "shop/a"
    ])
  })
})

describe("an address", () => {
  const kinds = "It would be #/KIND/NAMESPACE/NAME with one of Deployment, ReplicaSet, Pod, Container, Node"
  const rows: ReadonlyArray<{ readonly why: string; readonly hash: string; readonly says?: string }> = [
    { why: "may name nothing", hash: "" },
    { why: "may have a sign and no more", hash: "#" },
    { why: "may be of a moment alone", hash: "#/@12" },
    { why: "may be of a place", hash: "#/Pod/default/web-1" },
    { why: "may be of a place that is in no namespace, at a moment", hash: "#/Node//node-1@7" },
    {
      why: "is strange with a kind that has no place",
      hash: "#/Pot/default/web@7",
      says: `The address names nothing that can be looked at: #/Pot/default/web. ${kinds}`
    },
    {
      why: "is strange with something missing",
      hash: "#/Pod/web",
      says: `The address names nothing that can be looked at: #/Pod/web. ${kinds}`
    },
    {
      why: "is strange where it was cut off within a letter",
      hash: "#/Pod/default/%E2%82",
      says: `The address names nothing that can be looked at: #/Pod/default/%E2%82. ${kinds}`
    },
    {
      why: "is strange with a moment that is no number",
      hash: "#/Pod/default/web-1@noon",
      says: "The address has no number of a moment behind its @: #/Pod/default/web-1@noon"
    }
  ]
  it.for(rows)("$why", ({ hash, says }) => {
    expect(hashProblem(hash)?.text).toBe(says)
  })
})
