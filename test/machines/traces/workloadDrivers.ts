import { commandText } from "../../../src/kubernetes/apps/commands.ts"
import { cpuAt, observedAutoscaler } from "../autoscalerObservations.ts"
import { cronJobMachine } from "../../../machines/cronJob.ts"
import { daemonSetMachine } from "../../../machines/daemonSet.ts"
import { horizontalPodAutoscalerMachine } from "../../../machines/horizontalPodAutoscaler.ts"
import { jobMachine } from "../../../machines/job.ts"
import { makeClock, startChart } from "../chartActor.ts"
import { millisAt } from "../workloadObservations.ts"
import { observedCronJob } from "../cronJobObservations.ts"
import { observedDaemonSet } from "../daemonSetObservations.ts"
import { observedJob } from "../jobObservations.ts"
import { observedStatefulSet } from "../statefulSetObservations.ts"
import { statefulSetMachine } from "../../../machines/statefulSet.ts"
import type { AnyStateMachine } from "xstate"
import type { Args } from "./playTrace.ts"
import type { ChartDriver } from "./chartDrivers.ts"
import type { Command } from "../../../src/kubernetes/apps/commands.ts"
import type { CronJobSituation } from "../cronJobObservations.ts"
import type { DaemonLook } from "../daemonSetObservations.ts"
import type { JobPodLook } from "../jobObservations.ts"
import type { ReplicaLook } from "../statefulSetObservations.ts"

/**
 * Drives the chart of a workload by situations: `observe` tells all that its actor sees, `pods=ready,unready:1` the
 * Pods and the version of their template, 2 by default. Nothing is carried out; the next `observe` tells what has come
 * of it.
 */
const situationDriver =
  (machine: AnyStateMachine, observe: (args: Args, nowMillis: number) => { readonly nowMillis: number }) =>
  (first: Args, addLine: (text: string) => void): ChartDriver => {
    const clock = makeClock(millisAt(10))
    const actor = startChart(machine, clock)
    let args = first
    const look = (): void => {
      const nowMillis = clock.nowMillis()
      actor.send({ type: "observed", seen: { ...observe(args, nowMillis), nowMillis } })
      drain()
    }
    const drain = (): void => {
      for (let commands = actor.take(); commands.length > 0; commands = actor.take()) {
        for (const command of commands) {
          addLine(textOf(command))
          if (command.type === "lookAgain") look()
          if (command.type === "scaleTarget") actor.send({ type: "performed" })
        }
      }
    }
    return {
      clock,
      drain,
      value: actor.value,
      verbs: {
        observe: (next) => {
          args = next
          look()
        }
      }
    }
  }

const textOf = (command: Command): string =>
  command.type === "recordEvent"
    ? `event ${command.eventType} ${command.reason}: ${command.message}`
    : commandText(command)

const isYes = (args: Args, name: string): boolean => args.text(name, "no") === "yes"
const wordsOf = (args: Args, name: string): ReadonlyArray<string> =>
  args.has(name) ? args.text(name).split(",") : []
const numbersOf = (args: Args, name: string): ReadonlyArray<number> => wordsOf(args, name).map(Number)

/** `ready`, or `ready:1` with the version of the template. */
const lookOf = (word: string): readonly [look: string, version: number] => {
  const [look = "", version = "2"] = word.split(":")
  return [look, Number(version)]
}

const statefulSet = situationDriver(statefulSetMachine, (args) =>
  observedStatefulSet({
    replicas: args.count("replicas", 3),
    isParallel: isYes(args, "parallel"),
    strategy: args.text("strategy", "RollingUpdate"),
    partition: args.count("partition", 0),
    pods: wordsOf(args, "pods").map(lookOf) as ReadonlyArray<readonly [ReplicaLook, number]>,
    ...(args.has("revisions") ? { revisions: numbersOf(args, "revisions") } : {})
  })
)

/** `nodes=ready:1/ready:1+unready:2`: the Pods of each node. */
const daemonSet = situationDriver(daemonSetMachine, (args) =>
  observedDaemonSet({
    nodes: args
      .text("nodes")
      .split("/")
      .map((pods) => (pods === "none" ? [] : pods.split("+")))
      .map((pods) => pods.map(lookOf) as ReadonlyArray<readonly [DaemonLook, number]>),
    maxSurge: args.count("surge", 0),
    maxUnavailable: args.count("unavailable", 1),
    ...(args.has("last") ? { last: args.text("last") as "mustGo" } : {})
  })
)

const job = situationDriver(jobMachine, (args) => {
  const uncounted = {
    ...(args.has("notedFailed") ? { failed: wordsOf(args, "notedFailed") } : {}),
    ...(args.has("notedSucceeded") ? { succeeded: wordsOf(args, "notedSucceeded") } : {})
  }
  return observedJob({
    spec: { parallelism: args.count("parallelism", 2), completions: args.count("completions", 3) },
    pods: wordsOf(args, "pods") as ReadonlyArray<JobPodLook>,
    status: {
      succeeded: args.count("succeeded", 0),
      failed: args.count("failed", 0),
      ...(Object.keys(uncounted).length > 0 ? { uncountedTerminatedPods: uncounted } : {}),
      ...(args.has("condition")
        ? { conditions: [{ type: args.text("condition"), status: "True", reason: "Because", message: "so" }] }
        : {})
    }
  })
})

const cronJob = situationDriver(cronJobMachine, (args) => {
  const jobs = wordsOf(args, "jobs") as Required<CronJobSituation>["jobs"]
  const active = jobs.flatMap((state, index) =>
    state === "active" ? [{ kind: "Job", name: `nightly-${index}`, uid: `job-${index}` }] : []
  )
  return observedCronJob({
    spec: { concurrencyPolicy: args.text("policy", "Allow") as "Allow" },
    jobs,
    status: active.length > 0 ? { active } : {}
  })
})

/** `cpu=60,120`: what each Pod uses, of 100m that it requests, with a target of 60 %. */
const horizontalPodAutoscaler = situationDriver(horizontalPodAutoscalerMachine, (args, nowMillis) => {
  const cpu = numbersOf(args, "cpu")
  return observedAutoscaler({
    spec: {
      metrics: [cpuAt(60)],
      behavior: {
        scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 15 }] },
        scaleDown: {
          stabilizationWindowSeconds: args.count("window", 300),
          policies: [{ type: "Percent", value: 100, periodSeconds: 15 }]
        }
      }
    },
    pods: cpu.map((it) => ({ cpu: it })),
    now: (nowMillis - millisAt(0)) / 1000,
    ...(isYes(args, "unmeasured")
      ? { readings: [{ problem: "no metrics returned from resource metrics API" }] }
      : {})
  })
})

export const workloadDrivers = { statefulSet, daemonSet, job, cronJob, horizontalPodAutoscaler }
