import { deploymentMachine } from "../../../machines/deployment.ts"
import { nodeMachine } from "../../../machines/node.ts"
import { podMachine } from "../../../machines/pod.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { withStatusReports } from "../../../src/kubernetes/apps/deploymentStatus.ts"
import { newReplicaSetName } from "../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { aLife, aPod, observedPod, reportedPod } from "../podAndNodeObservations.ts"
import { workloadDrivers } from "./workloadDrivers.ts"
import { makeClock, startChart } from "../chartActor.ts"
import { makeWorkload } from "../workload.ts"
import { aDeployment, aReplicaSet, aTemplate, beginMillis, textAt } from "../workloadObservations.ts"
import type { NodeObservation } from "../../../machines/guards/nodeGuards.ts"
import type { Command } from "../../../src/kubernetes/apps/commands.ts"
import type { ContainerStatus, Pod, ReplicaSetStatus } from "../../../src/kubernetes/meta/objects.ts"
import type { Args } from "./playTrace.ts"
import type { TestClock } from "../chartActor.ts"

/** Drives one chart: its verbs with their arguments. Commands of the chart are carried out at once. */
export interface ChartDriver {
  readonly clock: TestClock
  readonly verbs: Readonly<Record<string, (args: Args) => void>>
  /** Takes the commands of the chart, carries them out and adds their lines. */
  readonly drain: () => void
  readonly value: () => unknown
}

type AddLine = (text: string) => void

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const images = ["v1", "v2", "v3"]
/** Shows names with the image in place of the hash. */
const readable = (text: string): string =>
  images.reduce((so, image) => so.replaceAll(newReplicaSetName(aDeployment({ image })), `web-${image}`), text)

const eventText = (command: Command): string =>
  command.type === "recordEvent" ? `event ${command.eventType} ${command.reason}: ${command.message}` : ""

const deployment = (first: Args, addLine: AddLine): ChartDriver => {
  const clock = makeClock(beginMillis)
  const workload = makeWorkload(
    aDeployment({ replicas: first.count("replicas", 5), type: first.text("strategy", "RollingUpdate") })
  )
  const actor = startChart(deploymentMachine(), clock)
  const textOf = (command: Command): string => {
    switch (command.type) {
      case "createReplicaSet": {
        const { metadata, spec } = command.replicaSet
        return `create ${metadata.name ?? ""} with ${plural(spec.replicas, "replica")}`
      }
      case "scaleReplicaSet":
        return `scale ${command.name} from ${command.replicasFrom} to ${command.replicasTo}`
      case "report": {
        const { report } = command
        const { status } = workload.deployment()
        // A report that changes nothing is no write and has no line.
        if (JSON.stringify(withStatusReports(status, [report], clock.nowMillis())) === JSON.stringify(status))
          return ""
        if (report.part === "condition")
          return `report ${report.condition.type}=${report.condition.status}, ${report.condition.reason}`
        if (report.part !== "counts") return `report ${report.part}`
        const { replicas, updatedReplicas, availableReplicas, unavailableReplicas } = report.counts
        const counts = `${updatedReplicas} updated, ${availableReplicas} available`
        return `report ${plural(replicas, "replica")}, ${counts}, ${unavailableReplicas} unavailable`
      }
      case "showRevision":
        return `show revision ${command.revision}`
      case "recordEvent":
        return eventText(command)
      default:
        return command.type
    }
  }
  const drain = (): void => {
    for (const command of actor.take()) {
      const text = textOf(command)
      if (text !== "") addLine(readable(text))
      workload.perform([command], clock.nowMillis())
      if (command.type === "lookAgain") look()
    }
  }
  const look = (): void => {
    actor.send({ type: "observed", seen: workload.observe(clock.nowMillis()) })
    drain()
  }
  return {
    clock,
    drain,
    value: actor.value,
    verbs: {
      observe: (args) => {
        const change = {
          ...(args.has("paused") ? { paused: args.text("paused") === "yes" } : {}),
          ...(args.has("replicas") ? { replicas: args.count("replicas") } : {}),
          ...(args.has("image") ? { template: aTemplate(args.text("image")) } : {})
        }
        if (Object.keys(change).length > 0) workload.changeDeployment({}, change)
        look()
      },
      pods: (args) => {
        const counts: Partial<ReplicaSetStatus> = {
          replicas: args.count("there"),
          readyReplicas: args.count("available", 0),
          availableReplicas: args.count("available", 0),
          terminatingReplicas: args.count("terminating", 0)
        }
        workload.setCounts(newReplicaSetName(aDeployment({ image: args.text("image") })), counts)
        look()
      },
      settle: () => {
        for (let before = ""; before !== JSON.stringify([workload.deployment(), workload.replicaSets()]);) {
          before = JSON.stringify([workload.deployment(), workload.replicaSets()])
          look()
        }
      }
    }
  }
}

const replicaSet = (first: Args, addLine: AddLine): ChartDriver => {
  const clock = makeClock(beginMillis)
  const actor = startChart(replicaSetMachine, clock)
  let stored = aReplicaSet({ replicas: first.count("replicas"), pods: 0 })
  let [active, quota] = [0, Infinity]
  const carryOut = (command: Command): boolean => {
    switch (command.type) {
      case "createPods": {
        const allowed = Math.min(command.count, quota - active)
        active += allowed
        addLine(
          `create ${plural(command.count, "Pod")}${allowed < command.count ? `, ${allowed} of them allowed` : ""}`
        )
        return allowed === command.count
      }
      case "deletePods":
        active -= command.count
        addLine(`delete ${plural(command.count, "Pod")}`)
        return true
      case "reportReplicaSet": {
        const { replicas, conditions = [] } = command.status
        stored = { ...stored, status: command.status }
        addLine(`report ${plural(replicas, "replica")}${conditions.map(({ type }) => `, ${type}`).join("")}`)
        return true
      }
      default:
        addLine(command.type)
        return true
    }
  }
  const drain = (): void => {
    for (let commands = actor.take(); commands.length > 0; commands = actor.take()) {
      const rejected = commands.find((command) => !carryOut(command))
      const refusal = { command: rejected?.type, reason: "Forbidden", message: "exceeded quota" }
      actor.send(rejected === undefined ? { type: "performed" } : { type: "refused", refusal })
    }
  }
  const look = (): void => {
    const counts = { active, fullyLabeled: active, ready: active, available: active, terminating: 0 }
    const pods = { ...counts, nextAvailableMillis: undefined }
    const claims = { adopt: [], release: [] }
    actor.send({ type: "observed", seen: { replicaSet: stored, pods, claims, nowMillis: clock.nowMillis() } })
    drain()
  }
  return {
    clock,
    drain,
    value: actor.value,
    verbs: {
      observe: (args) => {
        if (args.has("replicas"))
          stored = { ...stored, spec: { ...stored.spec, replicas: args.count("replicas") } }
        if (args.has("lost")) active -= args.count("lost")
        look()
      },
      quota: (args) => {
        quota = args.count("pods", Infinity)
      }
    }
  }
}

const pod = (first: Args, addLine: AddLine): ChartDriver => {
  const clock = makeClock(beginMillis)
  const actor = startChart(podMachine, clock)
  const exits = first.count("crashes", 0)
  const life = aLife({
    pullFailures: first.count("pullFailures", 0),
    ...(exits === 0 ? {} : { exit: { afterMillis: 1700, code: 3, reason: "Error", times: exits } })
  })
  const names = first.text("containers", "app").split(",")
  const bound = aPod({ node: "node-1", containers: names })
  const hook = first.has("postStart")
    ? { lifecycle: { postStart: { sleep: { seconds: first.count("postStart") } } } }
    : {}
  const containers = bound.spec.containers.map((it, index) => (index === 0 ? { ...it, ...hook } : it))
  let stored: Pod = { ...bound, spec: { ...bound.spec, containers } }
  const containerText = ({ state, ready, restartCount }: ContainerStatus): string => {
    const reason = state?.waiting?.reason ?? state?.terminated?.reason
    const how = [...Object.keys(state ?? {}), reason, ready ? "ready" : undefined]
    return [...how.filter((it) => it !== undefined), plural(restartCount, "restart")].join(", ")
  }
  const carryOut = (command: Command): void => {
    if (command.type === "recordEvent") addLine(eventText(command))
    else if (command.type === "reportPod") {
      stored = reportedPod(stored, command, clock.nowMillis())
      const statuses = stored.status.containerStatuses ?? []
      addLine(`report ${stored.status.phase}: ${statuses.map(containerText).join("; ")}`)
    } else addLine(command.type)
  }
  const drain = (): void => actor.take().forEach(carryOut)
  const look = (kubelet: "reachable" | "lost"): void => {
    actor.send({
      type: "observed",
      seen: observedPod(stored, life, { kubelet, nowMillis: clock.nowMillis() })
    })
    drain()
  }
  return {
    clock,
    drain,
    value: actor.value,
    verbs: {
      observe: (args) => look(args.text("kubelet", "reachable") === "lost" ? "lost" : "reachable"),
      delete: () => {
        const deletion = { deletionTimestamp: textAt(0), deletionGracePeriodSeconds: 30 }
        stored = { ...stored, metadata: { ...stored.metadata, ...deletion } }
        look("reachable")
      }
    }
  }
}

const graceMillis = 50_000

const node = (first: Args, addLine: AddLine): ChartDriver => {
  const clock = makeClock(beginMillis)
  const actor = startChart(nodeMachine, clock)
  const toleratesMillis = first.millis("tolerates")
  let kubelet: NodeObservation["kubelet"] = "running"
  let ready: NodeObservation["ready"] = "False"
  let [renewedMillis, taintedMillis, marked, evicted] = [beginMillis, Infinity, false, false]
  const look = (): void => {
    const nowMillis = clock.nowMillis()
    const isTainted = taintedMillis !== Infinity && !evicted
    const evictsMillis = taintedMillis + toleratesMillis
    const isOverdue = isTainted && evictsMillis <= nowMillis
    const isTolerating = isTainted && !isOverdue
    const seen: NodeObservation = {
      kubelet,
      ready,
      lostMillis: renewedMillis + graceMillis,
      hasStaleReadyPods: ready === "Unknown" && !marked,
      isMistainted: (ready === "Unknown") !== (taintedMillis !== Infinity),
      overduePods: isOverdue ? ["shop/web-1"] : [],
      toleratingPods: isTolerating ? ["shop/web-1"] : [],
      nextOverdueMillis: isTolerating ? evictsMillis : undefined,
      nowMillis
    }
    actor.send({ type: "observed", seen })
  }
  const carryOut = (command: Command): void => {
    if (command.type === "renewLease") renewedMillis = clock.nowMillis()
    if (command.type === "markPodsUnready") marked = true
    if (command.type === "evictPods") evicted = true
    if (command.type === "taintNode") taintedMillis = ready === "Unknown" ? clock.nowMillis() : Infinity
    if (command.type === "reportNode") {
      if (command.ready === ready) return
      ready = command.ready
      addLine(`report Ready=${ready}`)
    } else {
      const keys = "keys" in command ? ` ${command.keys.join(", ")}` : ""
      addLine(`${command.type}${keys}`)
    }
    // Its own write, and time that matters, lead to another look.
    if (["reportNode", "taintNode", "lookAgain"].includes(command.type)) look()
  }
  const drain = (): void => {
    for (let commands = actor.take(); commands.length > 0; commands = actor.take()) commands.forEach(carryOut)
  }
  return {
    clock,
    drain,
    value: actor.value,
    verbs: {
      observe: (args) => {
        if (args.has("kubelet")) kubelet = args.text("kubelet") === "stopped" ? "stopped" : "running"
        look()
        drain()
      }
    }
  }
}

export const chartDrivers: Readonly<Record<string, (first: Args, addLine: AddLine) => ChartDriver>> = {
  deployment,
  replicaSet,
  pod,
  node,
  ...workloadDrivers
}
