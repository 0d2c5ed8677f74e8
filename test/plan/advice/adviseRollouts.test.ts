import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { planNext, preStopSleep, readinessProbed, rolling, service, slowPods } from "../planManifests.ts"
import { claimManifest, claimVolumes, quotaManifest, volumeManifest } from "../../builders.ts"

const goingFirst = { replicas: 2, spec: rolling(0, 1), container: preStopSleep(1) }

const apart = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: "web" } }, topologyKey: "kubernetes.io/hostname" }
      ]
    }
  }
}
const hostPort = { ports: [{ containerPort: 80, hostPort: 80 }] }

const disk = [
  claimManifest("data", { storageClassName: "", volumeName: "disk" }),
  volumeManifest("disk", { csi: { driver: "disk.example.com", volumeHandle: "disk" } })
]

describe("advice", () => {
  it("has the patch and the figures that were played with it", async () => {
    const { advice, together } = await planNext(goingFirst, { assume: slowPods, beside: [service] })
    expect(advice).toMatchObject([
      {
        text: expect.stringMatching(
          /^maxSurge: 0 with maxUnavailable: 1 .* Say maxSurge: 1, maxUnavailable: 0$/
        ),
        needsOthers: false,
        fromNextRollout: false,
        without: { seeds: [1], available: { fewest: 1 }, duration: { worst: 20_000 } },
        with: { seeds: [1], available: { fewest: 2 }, duration: { worst: 20_000 } }
      }
    ])
    expect(parse(advice[0]?.patch ?? "")).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
    })
    expect(together).toBeUndefined()
  })

  it.each([
    { why: "other Pods", term: { labelSelector: { matchLabels: { app: "db" } } }, isGiven: true },
    {
      why: "Pods of the same revision",
      term: { labelSelector: { matchLabels: { app: "web" } }, matchLabelKeys: ["pod-template-hash"] },
      isGiven: true
    },
    { why: "all of its Pods", term: { labelSelector: { matchLabels: { app: "web" } } }, isGiven: false }
  ])(
    "to begin with a new Pod is given where Pods keep away from $why: $isGiven",
    async ({ term, isGiven }) => {
      const terms = [{ ...term, topologyKey: "kubernetes.io/hostname" }]
      const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }
      const rollout = { ...goingFirst, podSpec: { affinity } }
      const { advice } = await planNext(rollout, { assume: slowPods, beside: [service] })
      expect(advice.map(({ text }) => text.split(" ").slice(-4).join(" "))).toEqual(
        isGiven ? ["maxSurge: 1, maxUnavailable: 0"] : []
      )
    }
  )

  it("is not given where the rollout would be stuck with it", async () => {
    const options = { assume: slowPods, beside: [service, quotaManifest({ pods: "2" })] }
    const { advice, available } = await planNext(goingFirst, options)
    expect({ advice, fewest: available?.fewest }).toEqual({ advice: [], fewest: 1 })
  })

  it("recreates a Pod whose disk is attached to the node of the old one", async () => {
    const spec = { ...rolling(1, 0), progressDeadlineSeconds: 60 }
    const rollout = { replicas: 1, spec, podSpec: claimVolumes("data") }
    const { advice } = await planNext(rollout, { beside: disk })
    expect(advice).toMatchObject([
      {
        text: expect.stringMatching(/Say strategy\.type: Recreate: no Pod answers until the new one does$/),
        without: { stuck: 1, available: { fewest: 1 } },
        with: { stuck: 0, late: 0, available: { fewest: 0 } }
      }
    ])
    expect(parse(advice[0]?.patch ?? "")).toMatchObject({
      spec: { strategy: { type: "Recreate", rollingUpdate: null } }
    })
  })

  it("is not given where two Pods share a disk, which no strategy mends", async () => {
    const spec = { ...rolling(1, 0), progressDeadlineSeconds: 60 }
    const rollout = { replicas: 2, spec, podSpec: claimVolumes("data") }
    const { advice } = await planNext(rollout, { beside: disk })
    expect(advice).toEqual([])
  })

  it.each([
    { why: "Pods that keep apart", podSpec: apart, container: {} },
    { why: "a host port", podSpec: {}, container: hostPort }
  ])("ends a rollout that waits for itself because of $why", async ({ podSpec, container }) => {
    const spec = { ...rolling(1, 0), progressDeadlineSeconds: 60 }
    const { advice } = await planNext({ replicas: 3, spec, podSpec, container })
    expect(advice).toMatchObject([
      {
        text: expect.stringMatching(/Say maxUnavailable: 1: one Pod is missing at a time$/),
        without: { stuck: 1, available: { fewest: 3 } },
        with: { stuck: 0, late: 0, available: { fewest: 2 } }
      }
    ])
  })

  it("is played beside the rest where it does not help alone", async () => {
    const spec = { ...rolling(0, 2), minReadySeconds: 10, progressDeadlineSeconds: 30 }
    const { advice, together } = await planNext(
      { ...goingFirst, replicas: 4, spec },
      { assume: "start=5s..15s,ready=5s..25s", seeds: 10, beside: [service] }
    )
    expect(advice.map(({ text, needsOthers }) => [text.split(":")[0], needsOthers])).toEqual([
      ["progressDeadlineSeconds", false],
      ["maxSurge", true]
    ])
    expect(together).toMatchObject({
      fields: 3,
      without: { available: { fewest: 2 } },
      with: { late: 0, available: { fewest: 4 } }
    })
    expect(together?.without.late).toBeGreaterThan(0)
    expect(together?.diff.split("\n")).toEqual(
      expect.arrayContaining(["-      maxSurge: 0", "+      maxSurge: 1"])
    )
  })

  it("on how Pods stop helps from the next rollout on", async () => {
    const { advice } = await planNext(
      { replicas: 2, spec: rolling(1, 0), container: readinessProbed },
      { assume: slowPods, beside: [service] }
    )
    expect(advice).toMatchObject([
      { fromNextRollout: true, without: { requests: { lost: 100 } }, with: { requests: { lost: 0 } } }
    ])
  })

  it("remains a remark where no figure tells whether it helps", async () => {
    const { advice, remarks } = await planNext({ replicas: 2, spec: rolling(1, 0) }, { assume: "ready=12s" })
    expect({ advice, remarks }).toEqual({
      advice: [],
      remarks: [expect.stringMatching(/^container "app" has no readinessProbe and takes up to 12s to answer/)]
    })
  })
})
