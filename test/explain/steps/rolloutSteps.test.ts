import { describe, expect, it } from "vitest"
import { quotaManifest } from "../../builders.ts"
import { anImage, lastStepNumber, patchWeb, stepsOfWeb, stepTextsSince, withWeb } from "./webCluster.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { instant } from "../../../src/behaviours/builtInBehaviours.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"
import type { Step } from "../../../src/explain/steps/step.ts"

const guardIn = (steps: ReadonlyArray<Step>, name: string, holds: boolean): string | undefined =>
  steps
    .flatMap(({ guards }) => guards)
    .filter((it) => it.name === name && it.holds === holds)
    .at(-1)?.text

const rolling = (maxSurge: number, maxUnavailable: number): object => ({
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } }
})

describe("the recorded steps of a rollout", () => {
  it("explain a rolling update of ten Pods with maxSurge 3 and maxUnavailable 2", async () => {
    await using cluster = await withWeb({ replicas: 10, spec: rolling(3, 2) })
    const since = await lastStepNumber(cluster)
    await patchWeb(cluster, anImage("v2"))
    await cluster.settle()
    await expect(await stepTextsSince(cluster, since)).toMatchFileSnapshot("stories/rollingUpdate.txt")
  })

  it("explain that Recreate waits for the last old Pod", async () => {
    await using cluster = await withWeb({ replicas: 2, spec: { strategy: { type: "Recreate" } } })
    const since = await lastStepNumber(cluster)
    await patchWeb(cluster, anImage("v2"))
    await cluster.settle()
    await expect(await stepTextsSince(cluster, since, { withReplicaSets: true })).toMatchFileSnapshot(
      "stories/recreate.txt"
    )
  })

  it("explain that a paused Deployment creates no ReplicaSet but scales", async () => {
    await using cluster = await withWeb({ replicas: 3 })
    const since = await lastStepNumber(cluster)
    await patchWeb(cluster, { ...anImage("v2"), paused: true, replicas: 5 })
    await cluster.settle()
    await expect(await stepTextsSince(cluster, since, { withReplicaSets: true })).toMatchFileSnapshot(
      "stories/paused.txt"
    )
  })

  it("explain proportional scaling in the middle of a rollout", async () => {
    await using cluster = await withWeb({ replicas: 10, spec: rolling(3, 2) })
    await patchWeb(cluster, anImage("v2", "missing"))
    await cluster.advance("20ms")
    await patchWeb(cluster, { replicas: 15 })
    await cluster.advance(0)
    const steps = await stepsOfWeb(cluster)
    const step = steps.find(({ to }) => to.includes("rollout.scaling"))
    expect(guardIn(steps, "isScaling", true)).toMatch(
      /^replicas 15, annotation desired-replicas: web-\w+ 10, web-\w+ 10$/
    )
    expect(step?.commands.filter((it) => it.startsWith("scale"))).toEqual([
      expect.stringMatching(/^scale web-\w+ from 8 to 11$/),
      expect.stringMatching(/^scale web-\w+ from 5 to 7$/)
    ])
    expect(step?.because).toMatchObject({ resource: "deployments.apps", key: "default/web" })
  })

  it("explain an image that cannot be pulled, and the missed deadline", async () => {
    const unpullable: Behaviour = {
      ...instant,
      name: "unpullable",
      pull: { delay: "0s", failures: "forever" }
    }
    await using cluster = await openCluster({ why: true, behaviour: unpullable })
    await cluster.create(deploymentManifest({ replicas: 2, spec: { progressDeadlineSeconds: 60 } }))
    await cluster.advance("2m")
    const steps = await stepsOfWeb(cluster)
    const check = steps.findIndex(({ event }) => event.startsWith("after progressCheck"))
    expect(steps[check]).toMatchObject({ event: "after progressCheck (1m1s)", commands: ["look again"] })
    expect(steps[check]?.because).toBeUndefined()
    const overdue = steps[check + 1]
    expect(overdue?.to).toEqual([
      "rollout.rollingUpdate.awaitingPods",
      "progress.stalled",
      "check.none",
      "availability.unavailable"
    ])
    expect(overdue?.commands).toContain("report Progressing=False, ProgressDeadlineExceeded")
    expect(guardIn(steps, "isAvailable", false)).toBe("available 0, floor 2 = 2")
    const [pod] = (await cluster.list("pods")).items
    const podSteps = await cluster.why({ resource: "pods", name: pod?.metadata.name ?? "" })
    expect(podSteps.at(-1)?.to).toEqual(["onNode.backingOff"])
    expect(guardIn(podSteps, "isBackingOff", true)).toMatch(/^app pull/)
  })

  it("have a step of its own for a refused creation of Pods", async () => {
    await using cluster = await openCluster({ why: true })
    const quota = quotaManifest({ pods: "1" }, "few")
    await cluster.create(quota)
    await cluster.create(deploymentManifest({ replicas: 3 }))
    await cluster.advance("1s")
    const [replicaSet] = (await cluster.list("replicasets.apps")).items
    const steps = await cluster.why({ resource: "replicasets.apps", name: replicaSet?.metadata.name ?? "" })
    const refused = steps.find(({ event }) => event === "refused createPods")
    expect(refused?.to).toEqual(["failing"])
    expect(guardIn(steps, "isScalingRefused", true)).toMatch(
      /^createPods was refused, Forbidden: pods "web-\w+-\w+" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1$/
    )
    const before = steps[steps.findIndex((it) => it === refused) - 1]
    expect(before?.writes).toContainEqual({
      verb: "create",
      resource: "pods",
      key: expect.stringMatching(/^web-/) as string,
      refused: expect.stringContaining("exceeded quota: few") as string
    })
  })
})
