import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { checkManifests } from "../../src/steering/checkManifests.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { problemText } from "../../src/manifests/manifestDocument.ts"
import { address, approvedPods, imageOf, setImage, shopBehaviours, webDeployment } from "./steeredShop.ts"
import { steeredText, steeringEvents } from "./steeredShop.ts"

const bounds = (rollingUpdate: object) => ({ strategy: { rollingUpdate } })
const careful = bounds({ maxSurge: 1, maxUnavailable: 0 })
const canary = "canary:\n  steps: [{ approve: 1 }]\n"

interface Row {
  readonly what: string
  readonly text: string
  readonly spec?: object
  readonly replicas?: number
  readonly isGated?: boolean
  /** In the annotation, from 1. */
  readonly line: number
  readonly message: string
}

const rows: ReadonlyArray<Row> = [
  {
    what: "an annotation that does not parse",
    text: "canary:\n  steps: [",
    line: 2,
    message: "not readable"
  },
  {
    what: "steps that shrink",
    text: "canary:\n  steps:\n  - approve: 3\n  - approve: 2\n",
    line: 4,
    message: "approve: 2 must not be less than an earlier step's 3: approvals stay"
  },
  {
    what: "a percentage of 0 replicas",
    text: "canary:\n  steps:\n  - approve: 50%\n",
    replicas: 0,
    line: 3,
    message: "approve: 50% of 0 replicas approves no Pod: spec.replicas must be at least 1"
  },
  {
    what: "an analysis without a source",
    text: "canary:\n  steps: [{ analyse: errors }]\n  analyses:\n    errors: { max: 1 }\n",
    line: 4,
    message: "must have one of http, prometheus, pods"
  },
  {
    what: "a template without the gate",
    text: canary,
    isGated: false,
    line: 1,
    message:
      'spec.template.spec has no readiness gate to approve. Add "readinessGates: [{ conditionType: ' +
      'charthouse.dev/approved }]"; automaticRollback needs none'
  },
  {
    what: "a gated strategy with maxUnavailable",
    text: canary,
    spec: bounds({ maxSurge: 1, maxUnavailable: 1 }),
    line: 1,
    message:
      "spec.strategy.rollingUpdate.maxUnavailable must be 0 and is 1: old Pods would go while new ones wait for " +
      "their approval"
  },
  {
    what: "a maxSurge that is too small for a step",
    text: "blueGreen: {}",
    spec: careful,
    line: 1,
    message:
      "spec.strategy.rollingUpdate.maxSurge must be 100% and is 1: only 1 of 4 Pods of the new revision could " +
      "start beside the old ones"
  },
  {
    what: "Recreate",
    text: canary,
    spec: { strategy: { type: "Recreate" } },
    line: 1,
    message: "spec.strategy.type must be RollingUpdate: Recreate leaves no old Pod while new ones wait"
  },
  {
    what: "timed holds as long as progressDeadlineSeconds",
    text: "canary:\n  steps:\n  - hold: 4m\n  - hold: 6m\n",
    line: 4,
    message: "holds of 10m, one after another, must be shorter than progressDeadlineSeconds (600)"
  }
]

const deploymentOf = ({ text, spec = careful, replicas = 4, isGated = true }: Row) =>
  webDeployment(text, { replicas, isGated, spec })

/** The line of a file in which the annotation is a block. */
const fileOf = (row: Row) => {
  const deployment = deploymentOf(row)
  const text = stringify(deployment, { blockQuote: "literal", lineWidth: 0 })
  const key = text.split("\n").findIndex((it) => it.includes("charthouse.dev/strategy:")) + 1
  return { text, line: row.text.includes("\n") ? key + row.line : key }
}

describe("a strategy that cannot be meant", () => {
  it.each(rows)("is refused on the Deployment, which is left alone: $what", async (row) => {
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

  it.each(rows)("is found in a file, with its line: $what", (row) => {
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
      steered: ["web"]
    })
  })
})
