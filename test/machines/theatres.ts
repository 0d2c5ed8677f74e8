import { deploymentMachine } from "../../machines/deployment.ts"
import { nodeMachine } from "../../machines/node.ts"
import { podMachine } from "../../machines/pod.ts"
import { replicaSetMachine } from "../../machines/replicaSet.ts"
import { withStatusReports } from "../../src/kubernetes/apps/deploymentStatus.ts"
import { nextReplicaSetName } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { aLife, aPod, observedPod, reportedPod } from "./leafWorlds.ts"
import { makeClock, play } from "./player.ts"
import { makeStage } from "./stage.ts"
import { aDeployment, aReplicaSet, aTemplate, beginMillis, textAt } from "./worlds.ts"
import type { NodeObservation } from "../../machines/node.ts"
import type { Command } from "../../src/kubernetes/apps/commands.ts"
import type { Pod, ReplicaSetStatus } from "../../src/kubernetes/meta/objects.ts"
import type { Args } from "./traces.ts"
import type { TestClock } from "./player.ts"

/** Where one chart plays: what can be done to it, by a word and its arguments. What it says is carried out at once. */
export interface Theatre {
  readonly clock: TestClock
  readonly words: Readonly<Record<string, (args: Args) => void>>
  /** Takes what the chart has said, carries it out, and tells of it. */
  readonly attend: () => void
  readonly value: () => unknown
}

/** Hears what is worth reading of a command. */
type Tell = (text: string) => void

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const images = ["v1", "v2", "v3"]
/** Names with the image in the place of its hash. */
const readable = (text: string): string =>
  images.reduce(
    (so, image) => so.replaceAll(nextReplicaSetName(aDeployment({ image })), `web-${image}`),
    text
  )

const eventText = (command: Command): string =>
  command.type === "recordEvent" ? `event ${command.eventType} ${command.reason}: ${command.message}` : ""

const deployment = (first: Args, tell: Tell): Theatre => {
  const clock = makeClock(beginMillis)
  const stage = makeStage(
    aDeployment({ replicas: first.count("replicas", 5), type: first.text("strategy", "RollingUpdate") })
  )
  const actor = play(deploymentMachine(), clock)
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
        const { status } = stage.deployment()
        // A report that changes nothing is no write, and nothing to read.
        if (JSON.stringify(withStatusReports(status, [report], clock.nowMillis())) === JSON.stringify(status))
          return ""
        if (report.part === "condition")
          return `report ${report.claim.type}=${report.claim.status}, ${report.claim.reason}`
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
  const attend = (): void => {
    for (const command of actor.take()) {
      const text = textOf(command)
      if (text !== "") tell(readable(text))
      stage.perform([command], clock.nowMillis())
      if (command.type === "lookAgain") look()
    }
  }
  const look = (): void => {
    actor.send({ type: "observed", seen: stage.observe(clock.nowMillis()) })
    attend()
  }
  return {
    clock,
    attend,
    value: actor.value,
    words: {
      observe: (args) => {
        const change = {
          ...(args.has("paused") ? { paused: args.text("paused") === "yes" } : {}),
          ...(args.has("replicas") ? { replicas: args.count("replicas") } : {}),
          ...(args.has("image") ? { template: aTemplate(args.text("image")) } : {})
        }
        if (Object.keys(change).length > 0) stage.change({}, change)
        look()
      },
      pods: (args) => {
        const counts: Partial<ReplicaSetStatus> = {
          replicas: args.count("there"),
          readyReplicas: args.count("available", 0),
          availableReplicas: args.count("available", 0),
          terminatingReplicas: args.count("terminating", 0)
        }
        stage.count(nextReplicaSetName(aDeployment({ image: args.text("image") })), counts)
        look()
      },
      settle: () => {
        for (let before = ""; before !== JSON.stringify([stage.deployment(), stage.replicaSets()]);) {
          before = JSON.stringify([stage.deployment(), stage.replicaSets()])
          look()
        }
      }
    }
  }
}

const replicaSet = (first: Args, tell: Tell): Theatre => {
  const clock = makeClock(beginMillis)
  const actor = play(replicaSetMachine, clock)
  let shown = aReplicaSet({ asked: first.count("replicas"), pods: 0 })
  let [active, quota] = [0, Infinity]
  const carryOut = (command: Command): boolean => {
    switch (command.type) {
      case "createPods": {
        const made = Math.min(command.count, quota - active)
        active += made
        tell(
          `create ${plural(command.count, "Pod")}${made < command.count ? `, ${made} of them allowed` : ""}`
        )
        return made === command.count
      }
      case "deletePods":
        active -= command.count
        tell(`delete ${plural(command.count, "Pod")}`)
        return true
      case "reportReplicaSet": {
        const { replicas, conditions = [] } = command.status
        shown = { ...shown, status: command.status }
        tell(`report ${plural(replicas, "replica")}${conditions.map(({ type }) => `, ${type}`).join("")}`)
        return true
      }
      default:
        tell(command.type)
        return true
    }
  }
  const attend = (): void => {
    for (let said = actor.take(); said.length > 0; said = actor.take()) {
      const refused = said.find((command) => !carryOut(command))
      const refusal = { command: refused?.type, reason: "Forbidden", message: "exceeded quota" }
      actor.send(refused === undefined ? { type: "performed" } : { type: "refused", refusal })
    }
  }
  const look = (): void => {
    const counts = { active, fullyLabeled: active, ready: active, available: active, terminating: 0 }
    const pods = { ...counts, nextAvailableMillis: undefined }
    const claims = { adopt: [], release: [] }
    actor.send({ type: "observed", seen: { replicaSet: shown, pods, claims, nowMillis: clock.nowMillis() } })
    attend()
  }
  return {
    clock,
    attend,
    value: actor.value,
    words: {
      observe: (args) => {
        if (args.has("replicas"))
          shown = { ...shown, spec: { ...shown.spec, replicas: args.count("replicas") } }
        if (args.has("lost")) active -= args.count("lost")
        look()
      },
      quota: (args) => {
        quota = args.count("pods", Infinity)
      }
    }
  }
}

const pod = (first: Args, tell: Tell): Theatre => {
  const clock = makeClock(beginMillis)
  const actor = play(podMachine, clock)
  const exits = first.count("crashes", 0)
  const life = aLife({
    pullFailures: first.count("pullFailures", 0),
    ...(exits === 0 ? {} : { exit: { afterMillis: 1700, code: 3, reason: "Error", times: exits } })
  })
  let shown: Pod = aPod({ node: "node-1" })
  const carryOut = (command: Command): void => {
    if (command.type === "recordEvent") tell(eventText(command))
    else if (command.type === "reportPod") {
      shown = reportedPod(shown, command, clock.nowMillis())
      const [app] = shown.status.containerStatuses ?? []
      const [state = ""] = Object.keys(app?.state ?? {})
      const reason = app?.state?.waiting?.reason ?? app?.state?.terminated?.reason
      const how = [state, reason, app?.ready === true ? "ready" : undefined].filter((it) => it !== undefined)
      tell(`report ${shown.status.phase}: ${how.join(", ")}, ${plural(app?.restartCount ?? 0, "restart")}`)
    } else tell(command.type)
  }
  const attend = (): void => actor.take().forEach(carryOut)
  const look = (kubelet: "reachable" | "lost"): void => {
    actor.send({
      type: "observed",
      seen: observedPod(shown, life, { kubelet, nowMillis: clock.nowMillis() })
    })
    attend()
  }
  return {
    clock,
    attend,
    value: actor.value,
    words: {
      observe: (args) => look(args.text("kubelet", "reachable") === "lost" ? "lost" : "reachable"),
      delete: () => {
        const deletion = { deletionTimestamp: textAt(0), deletionGracePeriodSeconds: 30 }
        shown = { ...shown, metadata: { ...shown.metadata, ...deletion } }
        look("reachable")
      }
    }
  }
}

const graceMillis = 50_000

const node = (first: Args, tell: Tell): Theatre => {
  const clock = makeClock(beginMillis)
  const actor = play(nodeMachine, clock)
  const toleratesMillis = first.millis("tolerates")
  let kubelet: NodeObservation["kubelet"] = "running"
  let ready: NodeObservation["ready"] = "False"
  let [renewedMillis, drivenMillis, marked, evicted] = [beginMillis, Infinity, false, false]
  const look = (): void => {
    const nowMillis = clock.nowMillis()
    const isDriven = drivenMillis !== Infinity && !evicted
    const leavesMillis = drivenMillis + toleratesMillis
    const isOverdue = isDriven && leavesMillis <= nowMillis
    const isTolerating = isDriven && !isOverdue
    const seen: NodeObservation = {
      kubelet,
      ready,
      lostMillis: renewedMillis + graceMillis,
      isServing: ready === "Unknown" && !marked,
      isMistainted: (ready === "Unknown") !== (drivenMillis !== Infinity),
      overdue: isOverdue ? ["shop/web-1"] : [],
      tolerating: isTolerating ? ["shop/web-1"] : [],
      nextOverdueMillis: isTolerating ? leavesMillis : undefined,
      nowMillis
    }
    actor.send({ type: "observed", seen })
  }
  const carryOut = (command: Command): void => {
    if (command.type === "renewLease") renewedMillis = clock.nowMillis()
    if (command.type === "markPodsUnready") marked = true
    if (command.type === "evictPods") evicted = true
    if (command.type === "taintNode") drivenMillis = ready === "Unknown" ? clock.nowMillis() : Infinity
    if (command.type === "reportNode") {
      if (command.ready === ready) return
      ready = command.ready
      tell(`report Ready=${ready}`)
    } else {
      const keys = "keys" in command ? ` ${command.keys.join(", ")}` : ""
      tell(`${command.type}${keys}`)
    }
    // Its own write, and time that matters, are each a reason to look again.
    if (["reportNode", "taintNode", "lookAgain"].includes(command.type)) look()
  }
  const attend = (): void => {
    for (let said = actor.take(); said.length > 0; said = actor.take()) said.forEach(carryOut)
  }
  return {
    clock,
    attend,
    value: actor.value,
    words: {
      observe: (args) => {
        if (args.has("kubelet")) kubelet = args.text("kubelet") === "stopped" ? "stopped" : "running"
        look()
        attend()
      }
    }
  }
}

export const theatres: Readonly<Record<string, (first: Args, tell: Tell) => Theatre>> = {
  deployment,
  replicaSet,
  pod,
  node
}
