import { describe, expect, it } from "vitest"
import { checkManifests } from "../../src/steering/checkManifests.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { problemText } from "../../src/manifests/manifestDocument.ts"
import { deploymentOf, fileOf, invalidStrategies } from "./invalidStrategies.ts"
import { address, approvedPods, imageOf, setImage, shopBehaviours } from "./steeredShop.ts"
import { steeredText, steeringEvents } from "./steeredShop.ts"

describe("an invalid strategy", () => {
  it.each(invalidStrategies)("is refused on the Deployment, which is left alone: $what", async (row) => {
    await using cluster = await openCluster({ seed: 7, behaviours: shopBehaviours })
    await cluster.create(deploymentOf(row))
    await setImage(cluster, "web:missing")
    await cluster.advance("12m")
    expect(await steeredText(cluster)).toMatch(
      /^False InvalidStrategy: charthouse.dev\/strategy is not followed: /u
    )
    expect(await steeredText(cluster)).toContain(row.message)
    expect(await steeringEvents(cluster)).toEqual([
      `Warning ${(await steeredText(cluster)).slice("False ".length)}`
    ])
    const deployment = await cluster.get(address)
    expect(imageOf(deployment)).toBe("web:missing")
    expect(deployment.metadata.annotations).not.toHaveProperty("charthouse.dev/steering")
    expect(await approvedPods(cluster)).toEqual({})
  })

  it.each(invalidStrategies)("is found in a file, with its line: $what", (row) => {
    const { text, line } = fileOf(row)
    const { problems, steered } = checkManifests([{ name: "web.yaml", text }])
    expect(problems.map(problemText)).toEqual([expect.stringContaining(row.message)])
    expect(problems[0]?.line).toBe(line)
    expect(steered).toEqual([])
  })

  it("needs no gate if it is automaticRollback", async () => {
    const row = { text: "automaticRollback", isGated: false, spec: {}, what: "", line: 1, message: "" }
    expect(checkManifests([{ name: "web.yaml", text: fileOf(row).text }])).toEqual({
      problems: [],
      steered: ["web"],
      warnings: []
    })
  })
})
