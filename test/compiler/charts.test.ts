import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { deploymentMachine } from "../../machines/deployment.ts"
import { nodeMachine } from "../../machines/node.ts"
import { podMachine } from "../../machines/pod.ts"
import { replicaSetMachine } from "../../machines/replicaSet.ts"
import { builtInStrategies } from "../../machines/strategies/strategies.ts"
import {
  aPod,
  lives,
  nodeObservations,
  observedPod,
  replicaSetObservations,
  reportedPod
} from "../machines/podAndNodeObservations.ts"
import { blueGreen } from "../machines/strategies/blueGreen.ts"
import { heldBlueGreen } from "../machines/strategies/heldBlueGreen.ts"
import { makeWorkload } from "../machines/workload.ts"
import { aDeployment, aTemplate, deploymentObservations, textAt } from "../machines/workloadObservations.ts"
import { startSideBySide } from "./sideBySide.ts"
import type { AnyEventObject, AnyStateMachine } from "xstate"
import type { PodObservation } from "../../machines/guards/podGuards.ts"
import type { Command } from "../../src/kubernetes/apps/commands.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ActorStep } from "./sideBySide.ts"

/** The charts of this project, each with every situation that the tests of the charts know. */
const seeded = { seed: 20260301, numRuns: 60 }

const refused = (command: string): AnyEventObject => ({
  type: "refused",
  refusal: { command, reason: "Forbidden", message: "exceeded quota" }
})
const deployment = deploymentMachine([...builtInStrategies, blueGreen, heldBlueGreen])

const waits = fc.constantFrom(1, 700, 9000, 51_000, 601_000).map((wait): ActorStep => ({ wait }))
const restores = fc.constantFrom<ActorStep>({ restore: "as it is" }, { restore: "from JSON" })

interface Row {
  readonly name: string
  readonly machine: AnyStateMachine
  readonly observations: ReadonlyMap<string, unknown>
  readonly responses: ReadonlyArray<AnyEventObject>
}

const rows: ReadonlyArray<Row> = [
  {
    name: "deployment",
    machine: deployment,
    observations: deploymentObservations,
    responses: [refused("createReplicaSet"), { type: "unknown" }]
  },
  {
    name: "replicaSet",
    machine: replicaSetMachine,
    observations: replicaSetObservations,
    responses: [{ type: "performed" }, refused("createPods"), refused("deletePods")]
  },
  {
    name: "node",
    machine: nodeMachine,
    observations: nodeObservations,
    responses: [{ type: "unknown" }]
  }
]

describe("a compiled chart", () => {
  it.each(rows)("looks, waits and is restored as the interpreted one: $name", (row) => {
    const { machine, observations, responses } = row
    const looks = fc
      .constantFrom(...observations.values())
      .map((seen): ActorStep => ({ send: { type: "observed", seen } }))
    const answers = fc.constantFrom(...responses).map((send): ActorStep => ({ send }))
    const steps = fc.array(
      fc.oneof(
        { weight: 6, arbitrary: looks },
        { weight: 3, arbitrary: waits },
        { weight: 2, arbitrary: answers },
        { weight: 1, arbitrary: restores }
      ),
      { maxLength: 12, size: "max" }
    )
    let emitted = 0
    const law = fc.property(steps, (all) => {
      const both = startSideBySide(machine, { possibleEvents: [{ type: "unknown" }, ...responses] })
      for (const step of all) {
        both.take(step)
        emitted += both.emitted().length
      }
      both.stop()
    })
    fc.assert(law, seeded)
    expect(emitted).toBeGreaterThan(100)
  })

  const changes = {
    "image v2": (workload) => workload.changeDeployment({}, { template: aTemplate("v2") }),
    "image v1": (workload) => workload.changeDeployment({}, { template: aTemplate("v1") }),
    "7 replicas": (workload) => workload.changeDeployment({}, { replicas: 7 }),
    pause: (workload) => workload.changeDeployment({}, { paused: true }),
    resume: (workload) => workload.changeDeployment({}, { paused: false }),
    "Pods start": (workload) => {
      for (const { metadata, spec } of workload.replicaSets())
        workload.setCounts(metadata.name, { replicas: spec.replicas })
    },
    "Pods are available": (workload) => {
      for (const { metadata, status } of workload.replicaSets()) {
        const count = status.replicas ?? 0
        workload.setCounts(metadata.name, { readyReplicas: count, availableReplicas: count })
      }
    }
  } satisfies Readonly<Record<string, (workload: ReturnType<typeof makeWorkload>) => void>>

  it.each(["RollingUpdate", "Recreate", "BlueGreen", "HeldBlueGreen"])(
    "rolls out as the interpreted one: %s",
    (type) => {
      const names = Object.keys(changes) as ReadonlyArray<keyof typeof changes>
      const steps = fc.array(fc.oneof(fc.constantFrom(...names), fc.constantFrom(300, 61_000, 700_000)), {
        maxLength: 10,
        size: "max"
      })
      const commands = new Set<string>()
      const law = fc.property(steps, (history) => {
        const workload = makeWorkload(aDeployment({ type }))
        const both = startSideBySide(deployment)
        const take = (step: ActorStep): void => {
          both.take(step)
          for (const command of both.emitted()) commands.add(command.type)
          workload.perform(both.emitted() as unknown as ReadonlyArray<Command>, both.nowMillis())
        }
        const look = (): void =>
          take({ send: { type: "observed", seen: workload.observe(both.nowMillis()) } })
        for (const step of history) {
          if (typeof step === "number") take({ wait: step })
          else changes[step](workload)
          for (let turn = 0; turn < 4; turn += 1) look()
        }
      })
      fc.assert(law, { ...seeded, numRuns: 15 })
      expect([...commands]).toEqual(expect.arrayContaining(["createReplicaSet", "scaleReplicaSet"]))
    }
  )

  it("runs a Pod and its containers as the interpreted one", () => {
    const actions = ["bind", "delete", "lose the node", "bring it back", "change its life", "look"] as const
    const allLives = [...lives.values()]
    const script = fc.record({
      life: fc.constantFrom(...allLives),
      otherLife: fc.constantFrom(...allLives),
      restartPolicy: fc.constantFrom("Always", "OnFailure", "Never"),
      containers: fc.constantFrom(["app"], ["app", "proxy"]),
      inits: fc.constantFrom(undefined, ["setup"], ["setup", "sidecar"]),
      steps: fc.array(
        fc.oneof(
          { weight: 3, arbitrary: fc.constantFrom(...actions) },
          { weight: 4, arbitrary: fc.constantFrom(130, 900, 1700, 11_000, 95_000) },
          { weight: 1, arbitrary: fc.constant<ActorStep>({ restore: "as it is" }) }
        ),
        { maxLength: 14, size: "max" }
      )
    })
    const reached = new Set<string>()
    const law = fc.property(script, ({ life: firstLife, otherLife, inits, steps, ...traits }) => {
      const both = startSideBySide(podMachine)
      let pod: Pod = aPod(inits === undefined ? traits : { ...traits, inits })
      let life = firstLife
      let kubelet: PodObservation["kubelet"] = "reachable"
      const take = (step: ActorStep): void => {
        both.take(step)
        for (const line of both.lines())
          for (const [state] of line.matchAll(/(pod|container)\.[a-zA-Z.]+/g)) reached.add(state)
        const commands = both.emitted() as unknown as ReadonlyArray<Command>
        const report = commands.findLast((command) => command.type === "reportPod")
        if (report !== undefined) pod = reportedPod(pod, report, both.nowMillis())
      }
      const look = (): void => {
        const seen = observedPod(pod, life, { kubelet, nowMillis: both.nowMillis() })
        take({ send: { type: "observed", seen } })
      }
      for (const step of ["look", "bind", ...steps] as const) {
        if (typeof step === "object") take(step)
        else if (typeof step === "number") take({ wait: step })
        if (step === "bind") pod = { ...pod, spec: { ...pod.spec, nodeName: "node-1" } }
        if (step === "delete") {
          const deletion = { deletionTimestamp: textAt(0), deletionGracePeriodSeconds: 30 }
          pod = { ...pod, metadata: { ...pod.metadata, ...deletion } }
        }
        if (step === "lose the node") kubelet = "lost"
        if (step === "bring it back") kubelet = "reachable"
        if (step === "change its life") life = otherLife
        look()
      }
      both.stop()
    })
    fc.assert(law, seeded)
    const expected = [
      "pod.onNode.running.ready",
      "pod.outOfReach",
      "pod.gone",
      "container.waiting.crashBackOff"
    ]
    expect([...reached]).toEqual(expect.arrayContaining(expected))
  })
})
