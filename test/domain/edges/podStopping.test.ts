import { describe, expect, it } from "vitest"
import {
  deletionGraceMillis,
  specGraceMillis,
  planSigterms,
  planContainerStops
} from "../../../src/kubernetes/pods/podStopping.ts"
import { aPod } from "../../builders.ts"
import { anInit, aSidecar, someFacts, somePodLife } from "../someContainers.ts"
import type { ContainerFacts } from "../../../src/kubernetes/pods/containers/containers.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

const sleeping = (seconds: number) => ({ lifecycle: { preStop: { sleep: { seconds } } } })

const pod = aPod({
  spec: {
    containers: [
      { name: "app", image: "web:v1" },
      { name: "slow", image: "web:v1", ...sleeping(5) }
    ],
    initContainers: [
      { name: "setup", image: "web:v1" },
      { name: "side", image: "log:v1", restartPolicy: "Always" },
      { name: "tail", image: "log:v1", restartPolicy: "Always" }
    ]
  }
})

/** `app 4000`, of an application that needs 4 s to stop. */
const stopsOf = (containers: ReadonlyArray<ContainerFacts>, graceSeconds = 30): ReadonlyArray<string> =>
  [
    ...planContainerStops({
      pod,
      life: somePodLife({}, { terminateMillis: 4_000 }),
      containers,
      graceMillis: graceSeconds * 1000
    })
  ].map(([name, { withinMillis, isKilled }]) => `${name} ${withinMillis}${isKilled ? " killed" : ""}`)

const running = (name: string) => someFacts("running", { name })

describe("the containers of a Pod that is told to go stop", () => {
  it.each([
    {
      why: "all apps at once",
      containers: [running("app"), running("slow")],
      stops: ["slow 9000", "app 4000"]
    },
    { why: "a sidecar alone at once", containers: [aSidecar("running")], stops: ["side 4000"] },
    {
      why: "a sidecar after the app",
      containers: [aSidecar("running"), running("app")],
      stops: ["app 4000", "side 8000"]
    },
    {
      why: "a sidecar after the slowest app",
      containers: [aSidecar("running"), running("app"), running("slow")],
      stops: ["slow 9000", "app 4000", "side 13000"]
    },
    {
      why: "sidecars one after another, the last first",
      containers: [aSidecar("running"), aSidecar("running", { name: "tail" }), running("app")],
      stops: ["app 4000", "tail 8000", "side 12000"]
    },
    {
      why: "nobody waits for one that does not run",
      containers: [anInit("terminated"), aSidecar("running"), someFacts("crashBackOff")],
      stops: ["side 4000"]
    }
  ])("$stops: $why", ({ containers, stops }) => {
    expect(stopsOf(containers)).toEqual(stops)
  })

  it("within one grace that all share", () => {
    expect(stopsOf([aSidecar("running"), running("app")], 6)).toEqual(["app 4000", "side 6000 killed"])
  })
})

describe("the containers of a Pod that is told to go get their SIGTERM", () => {
  const all = [aSidecar("running"), aSidecar("running", { name: "tail" }), running("app"), running("slow")]
  it.each([
    {
      graceSeconds: 30,
      signals: { app: 0, slow: 5_000, tail: 9_000, side: 13_000 },
      why: "each in its turn"
    },
    { graceSeconds: 7, signals: { app: 0, slow: 5_000, tail: 7_000, side: 7_000 }, why: "as the grace ends" },
    { graceSeconds: 3, signals: { app: 0, slow: 3_000, tail: 3_000, side: 3_000 }, why: "hook or not" }
  ])("within $graceSeconds s: $why", ({ graceSeconds, signals }) => {
    const life = somePodLife({}, { terminateMillis: 4_000 })
    const planned = planSigterms({ pod, life, containers: all, graceMillis: graceSeconds * 1000 })
    expect(Object.fromEntries(planned)).toEqual(signals)
  })
})

describe("what a Pod is given to stop", () => {
  const timed = (own: number | undefined, asked: number | undefined): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, ...(asked === undefined ? {} : { deletionGracePeriodSeconds: asked }) },
    spec: { ...pod.spec, ...(own === undefined ? {} : { terminationGracePeriodSeconds: own }) }
  })

  it.each([
    { own: undefined, asked: undefined, deletion: 30, alone: 30 },
    { own: 9, asked: undefined, deletion: 9, alone: 9 },
    { own: 9, asked: 7, deletion: 7, alone: 9 },
    { own: 9, asked: 0, deletion: 0, alone: 9 },
    { own: undefined, asked: 7, deletion: 7, alone: 30 }
  ])(
    "of $own s, deleted with $asked s: $deletion s, and $alone s by itself",
    ({ own, asked, deletion, alone }) => {
      expect(deletionGraceMillis(timed(own, asked))).toBe(deletion * 1000)
      expect(specGraceMillis(timed(own, asked))).toBe(alone * 1000)
    }
  )
})
