import { describe, expect, it } from "vitest"
import { address, annotate, openSteeredShop, setImage, withoutHashes } from "../../steering/steeredShop.ts"
import { rolloutObjectsOf } from "../../../src/explain/remote/readRollout.ts"
import { rolloutJson } from "../../../src/cli/get/rolloutOverview.ts"
import { steeringRequests } from "../../../src/kubernetes/steering/steeringRequests.ts"
import { steeringSentences } from "../../../src/explain/workloads/explainSteering.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const inSteps = "canary: { steps: [{ approve: 1 }, { hold: 5m }, { approve: 50% }, { hold: untilPromoted }] }"
const gated = { isGated: true, spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } } }

const rolloutIn = async (cluster: OpenCluster) => ({
  ...rolloutObjectsOf(
    await cluster.get(address),
    await cluster.list("replicasets.apps"),
    await cluster.list("pods")
  ),
  nowMillis: cluster.now().getTime()
})

const sentencesIn = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> =>
  steeringSentences(await rolloutIn(cluster)).map(withoutHashes)

const requestsIn = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> =>
  steeringRequests(await cluster.get(address)).map(({ title }) => title)

describe("the explanation of a steered rollout", () => {
  it("says which steps are behind, how long the present one takes, and what ends it", async () => {
    await using cluster = await openSteeredShop(inSteps, gated)
    expect(await sentencesIn(cluster)).toEqual(["Steering: revision 1 (web) is complete."])
    expect(await requestsIn(cluster)).toEqual([])
    await setImage(cluster, "web:2")
    await cluster.advance("2m")
    const [stands = "", ...others] = await sentencesIn(cluster)
    expect(stands).toMatch(/is at step 2 of 4: holds until \S+\. To go on: \S.*charthouse.dev\/promote=$/u)
    expect(others).toEqual([
      "Its steps: approve 1 Pod (done), hold 5m (now, 3m2s left), approve 50% (2 Pods), hold until promoted, " +
        "approve all Pods.",
      "It is taken back when containers of its Pods restart more than 3 times, or a Pod cannot start within 1m, or it " +
        "makes no progress for 10m; by hand: kubectl annotate deployment/web charthouse.dev/abort=REASON."
    ])
    expect(await requestsIn(cluster)).toEqual(["Promote", "Promote to the end", "Hold", "Abort"])
    const rollout = await rolloutIn(cluster)
    expect(rolloutJson(rollout, rollout.nowMillis)).toMatchObject({
      steering: {
        chart: "canary",
        state: "Holding",
        isWell: true,
        steps: ["approve 1 Pod", "hold 5m", "approve 50% (2 Pods)", "hold until promoted"],
        stepsDone: 1,
        requests: [
          { title: "Promote", command: "kubectl annotate deployment/web -n default charthouse.dev/promote=" },
          { title: "Promote to the end" },
          { title: "Hold" },
          { title: "Abort" }
        ]
      }
    })
    await annotate(cluster, { hold: "" })
    await cluster.advance("1s")
    expect(await requestsIn(cluster)).toEqual(["Go on", "Abort"])
    await cluster.advance("10m")
    expect((await sentencesIn(cluster))[1]).toContain(
      "approve 1 Pod (done), hold 5m (now, held), approve 50%"
    )
  })

  it("says that nothing opens the gate of a Deployment without a strategy", async () => {
    await using cluster = await openSteeredShop(inSteps, gated)
    await annotate(cluster, { strategy: null })
    await cluster.advance("1s")
    expect(await sentencesIn(cluster)).toEqual([
      "Steering: nothing approves Pods with the readiness gate charthouse.dev/approved: remove it from " +
        "spec.template.spec, or set the annotation charthouse.dev/strategy."
    ])
  })

  it("approves no more Pods than the Deployment has", async () => {
    const beyond = "canary: { steps: [{ approve: 10 }, { hold: untilPromoted }] }"
    await using cluster = await openSteeredShop(beyond, gated)
    await setImage(cluster, "web:2")
    await cluster.advance("1s")
    const sentences = await sentencesIn(cluster)
    expect(sentences[0]).toContain("is at step 1 of 2: approves 4 Pods")
    expect(sentences[1]).toContain("Its steps: approve 4 Pods (now, 0 of 4 available), hold until promoted")
  })

  it("says what an automatic rollback waits for, and offers no button for it", async () => {
    await using cluster = await openSteeredShop("automaticRollback: { onFailure: hold, restarts: 0 }")
    await setImage(cluster, "web:hangs")
    await cluster.advance("1m")
    expect(await sentencesIn(cluster)).toEqual([
      "Steering: revision 2 (web) is rolled out, and taken back if it fails.",
      "It is given up when a container of its Pods restarts, or a Pod cannot start within 1m, or it makes no progress " +
        "for 10m."
    ])
    expect(await requestsIn(cluster)).toEqual([])
  })
})
