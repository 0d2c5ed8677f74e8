import { describe, expect, it } from "vitest"
import { makeClusterHistory } from "../../src/page/history/clusterHistory.ts"
import { makeSignal } from "../../src/page/signal.ts"
import { momentLink } from "../../src/page/momentLink.ts"
import type { PageAddress } from "../../src/page/pageAddress.ts"

const web: PageAddress = { kind: "Deployment", namespace: "default", name: "web" }
const pageUrl = "http://127.0.0.1:33081/charthouse/"

describe("the link to a moment", () => {
  it.each<
    [
      selected: PageAddress | undefined,
      moment: number | undefined,
      token: string | undefined,
      expected: string
    ]
  >([
    [undefined, undefined, undefined, "#/@0"],
    [undefined, 12, undefined, "#/@12"],
    [web, 12, undefined, "#/Deployment/default/web@12"],
    [web, 12, "a&b", "#token=a%26b&/Deployment/default/web@12"]
  ])("names the object, the moment and the token: %j %j %j", (selected, moment, token, expected) => {
    const state = {
      history: makeSignal(makeClusterHistory(undefined)),
      moment: makeSignal(moment),
      selected: makeSignal(selected)
    }
    expect(momentLink(state, { pageUrl, token })).toBe(pageUrl + expected)
  })
})
