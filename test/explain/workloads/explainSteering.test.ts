import { describe, expect, it } from "vitest"
import {
  address,
  annotate,
  hookJob,
  openSteeredShop,
  setImage,
  withoutHashes
} from "../../steering/steeredShop.ts"
import { explainRollout } from "../../../src/explain/objects/explainRollout.ts"
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
      "It is taken back when containers of its Pods restart more than 3 times, or a Pod cannot start within 1m; " +
        "by hand: kubectl annotate deployment/web charthouse.dev/abort=REASON.",
      "Its deadline does not end it now."
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

  it("says what an automatic rollback waits for, and offers to abort it", async () => {
    await using cluster = await openSteeredShop("automaticRollback: { onFailure: hold, restarts: 0 }")
    await setImage(cluster, "web:hangs")
    await cluster.advance("1m")
    expect(await sentencesIn(cluster)).toEqual([
      "Steering: revision 2 (web) is rolled out, and taken back if it fails.",
      "It is given up when a container of its Pods restarts, or a Pod cannot start within 1m, or it makes no progress " +
        "for 10m; by hand: kubectl annotate deployment/web charthouse.dev/abort=REASON."
    ])
    expect(await requestsIn(cluster)).toEqual(["Abort"])
  })
})

const restartsText = "containers of its Pods restart more than 3 times"
const startText = "a Pod cannot start within 1m"
const progressText = "it makes no progress for 10m"
const budget = `${restartsText}, or ${startText}`
const byHand = "; by hand: kubectl annotate deployment/web charthouse.dev/abort=REASON."
const unended = "Its deadline does not end it now."
const analysed =
  "canary: { steps: [{ analyse: calm }], analyses: { calm: { pods: restarts, max: 0, count: 9, interval: 1m } } }"
const hooked = "canary: { steps: [{ run: smoke }], hooks: { smoke: { job: smoke } } }"
interface EndingRow {
  readonly what: string
  readonly strategy: string
  readonly image?: string
  readonly replicas?: number
  readonly isGated?: boolean
  readonly spec?: object
  readonly play?: (cluster: OpenCluster) => Promise<unknown>
  readonly ends: ReadonlyArray<string>
}

const endingRows: ReadonlyArray<EndingRow> = [
  {
    what: "a step approves",
    strategy: inSteps,
    play: (cluster) => setImage(cluster, "web:hangs"),
    ends: [`It is taken back when ${budget}, or ${progressText}${byHand}`]
  },
  {
    what: "it holds until it is promoted",
    strategy: "canary: { steps: [{ hold: untilPromoted }] }",
    play: (cluster) => setImage(cluster, "web:2"),
    ends: [`It is taken back when ${budget}${byHand}`, unended]
  },
  {
    what: "its user holds it",
    strategy: inSteps,
    play: async (cluster) => {
      await annotate(cluster, { hold: "" })
      await setImage(cluster, "web:hangs")
    },
    ends: [`It is taken back when ${budget}${byHand}`, unended]
  },
  {
    what: "it is analysed",
    strategy: analysed,
    play: (cluster) => setImage(cluster, "web:2"),
    ends: [`It is taken back when ${budget}, or analysis "calm" fails${byHand}`, unended]
  },
  {
    what: "a hook runs",
    strategy: hooked,
    play: async (cluster) => {
      await cluster.create(hookJob("web:missing"))
      await setImage(cluster, "web:2")
    },
    ends: [`It is taken back when ${budget}, or hook "smoke" fails or is late${byHand}`, unended]
  },
  {
    what: "it is the first revision",
    strategy: inSteps,
    image: "web:hangs",
    ends: [
      `It is given up when ${budget}, or ${progressText}${byHand}`,
      "It is not taken back: no earlier revision that was complete is left in its history. Apply a template that works; revisionHistoryLimit says how many revisions are kept."
    ]
  },
  {
    what: "it was taken back and is applied again",
    strategy: inSteps,
    play: async (cluster) => {
      await setImage(cluster, "web:hangs")
      await annotate(cluster, { abort: "" })
      await cluster.advance("1m")
      await setImage(cluster, "web:hangs")
    },
    ends: [
      `It is given up when ${budget}, or ${progressText}${byHand}`,
      expect.stringMatching(/^It is not taken back: it was taken back once and applied again\. /u)
    ]
  },
  {
    what: "its preview is missing",
    strategy: "blueGreen: { preview: web-preview, before: [{ hold: untilPromoted }] }",
    spec: { strategy: { rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } } },
    play: (cluster) => setImage(cluster, "web:2"),
    ends: [`It is taken back when ${budget}, or ${progressText}${byHand}`]
  },
  {
    what: "a rollout without steps is paused",
    strategy: "automaticRollback",
    isGated: false,
    play: async (cluster) => {
      await setImage(cluster, "web:hangs")
      await cluster.advance("1s")
      await cluster.patch(address, { spec: { paused: true } })
    },
    ends: [`It is taken back when ${budget}${byHand}`, unended]
  }
]

describe("what ends a steered rollout", () => {
  it.each(endingRows)("is said where $what", async ({ strategy, play, ends, ...options }) => {
    await using cluster = await openSteeredShop(strategy, { ...gated, ...options })
    await play?.(cluster)
    await cluster.advance("20s")
    const sentences = await sentencesIn(cluster)
    expect(sentences.slice(-ends.length)).toEqual(ends)
    expect(sentences.filter((it) => it.includes("Its deadline"))).toEqual(ends.filter((it) => it === unended))
  })

  it("is not a rollback where its template is applied from Git", async () => {
    await using cluster = await openSteeredShop(inSteps, gated)
    await setImage(cluster, "web:hangs")
    await cluster.advance("20s")
    const deployment = await cluster.get(address)
    const fieldsV1 = { "f:spec": { "f:template": {} } }
    const managedFields = [{ manager: "argocd-controller", operation: "Apply", fieldsV1 }]
    const sentences = steeringSentences({
      ...rolloutObjectsOf(
        { ...deployment, metadata: { ...deployment.metadata, managedFields } },
        await cluster.list("replicasets.apps"),
        await cluster.list("pods")
      ),
      nowMillis: cluster.now().getTime()
    })
    expect(sentences.at(-1)).toBe(
      "It is not taken back: argocd-controller would apply the template again. Revert it where it is managed, or apply another one."
    )
  })

  it.each([
    { what: "was not taken back", undone: [], says: true },
    { what: "was taken back", undone: [{ to: "", reason: "" }], says: false }
  ])("is an undo to a revision without available Pods, if it $what: $says", async ({ undone, says }) => {
    await using cluster = await openSteeredShop("automaticRollback")
    await setImage(cluster, "web:hangs")
    await cluster.advance("10s")
    const { deployment, replicaSets, pods, nowMillis } = await rolloutIn(cluster)
    const [old] = replicaSets.filter(({ spec }) => spec.template.spec?.containers[0]?.image === "web:1")
    const from = old?.metadata.labels?.["pod-template-hash"]
    const record = { hash: "", revision: "", since: "2026-01-01T00:00:00Z" }
    const steering = JSON.stringify({ ...record, undone: undone.map((it) => ({ ...it, from })) })
    const annotations = { ...deployment.metadata.annotations, "charthouse.dev/steering": steering }
    const { sentences } = explainRollout({
      deployment: { ...deployment, metadata: { ...deployment.metadata, annotations } },
      replicaSets: replicaSets.map((it) => ({ ...it, status: { ...it.status, availableReplicas: 0 } })),
      pods,
      nowMillis,
      events: [],
      namespace: undefined
    })
    expect(sentences.some((it) => it.includes("kubectl rollout undo"))).toBe(says)
  })

  it("is no missed deadline while its steering waits", async () => {
    await using cluster = await openSteeredShop("canary: { steps: [{ hold: untilPromoted }] }", gated)
    await setImage(cluster, "web:2")
    await cluster.advance("15m")
    expect(rolloutJson(await rolloutIn(cluster), cluster.now().getTime())).toMatchObject({
      state: "failed",
      verdict: { health: "ok", progress: "rolling out", cause: "its steering holds it, past its deadline" }
    })
  })
})
