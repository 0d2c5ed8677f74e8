import { afterEach, describe, expect, it, vi } from "vitest"
import { byNamespaceAndName, hashProblem } from "../../src/page/pageAddress.ts"
import { displayName } from "../../src/kubernetes/meta/text/displayName.ts"

describe("Deployments on the page", () => {
  afterEach(() => void vi.restoreAllMocks())

  it("have the same order in every browser locale", () => {
    // In Danish, aa sorts last.
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

describe("the fragment of an address", () => {
  const kinds =
    "The form is #/KIND/NAMESPACE/NAME, with one of " +
    "Deployment, Steering, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob, HorizontalPodAutoscaler, Pod, Container, Node"
  const rows: ReadonlyArray<{ readonly why: string; readonly hash: string; readonly expectedText?: string }> =
    [
      { why: "may be empty", hash: "" },
      { why: "may be only a hash sign", hash: "#" },
      { why: "may name a moment only", hash: "#/@12" },
      { why: "may name an object", hash: "#/Pod/default/web-1" },
      { why: "may name a cluster-scoped object and a moment", hash: "#/Node//node-1@7" },
      {
        why: "is invalid with an unknown kind",
        hash: "#/Pot/default/web@7",
        expectedText: `The address names no object: #/Pot/default/web. ${kinds}`
      },
      {
        why: "is invalid without a namespace",
        hash: "#/Pod/web",
        expectedText: `The address names no object: #/Pod/web. ${kinds}`
      },
      {
        why: "is invalid if it is cut off within a character",
        hash: "#/Pod/default/%E2%82",
        expectedText: `The address names no object: #/Pod/default/%E2%82. ${kinds}`
      },
      {
        why: "is invalid with a moment that is no number",
        hash: "#/Pod/default/web-1@noon",
        expectedText: "The address has no number after its @: #/Pod/default/web-1@noon"
      }
    ]
  it.for(rows)("$why", ({ hash, expectedText }) => {
    expect(hashProblem(hash)?.text).toBe(expectedText)
  })
})
