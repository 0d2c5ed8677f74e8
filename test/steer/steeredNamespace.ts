import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { isApproved } from "../../src/kubernetes/steering/podApproval.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { openFaultyProxy } from "./faultyProxy.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { startSteering } from "../../src/steer/steerCluster.ts"
import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import { webDeployment } from "../steering/steeredShop.ts"
import type { Deployment, KubeObject, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { Fields } from "../../src/kubernetes/meta/fields.ts"
import type { RunningSteering } from "../../src/steer/steerCluster.ts"
import type { KubeContext } from "../../src/client/kubeContext.ts"
import type { SteerOptions } from "../../src/steer/steerOptions.ts"
import type { SteerTarget } from "./steerTarget.ts"

type Proxy = Awaited<ReturnType<typeof openFaultyProxy>>

export interface SteeringProcess extends RunningSteering {
  readonly proxy: Proxy
  /** Waits for an entry of this command, or with this message, that has the text somewhere. */
  readonly untilLogged: (command: string, text: string) => Promise<void>
}

/** A namespace of the target with one Deployment `web`, and the steering processes of one story. */
export interface SteeredNamespace {
  readonly name: string
  /** With the least rights that a steering process needs. */
  readonly leastRights: KubeContext
  readonly steer: (
    options?: Partial<SteerOptions> & { readonly aheadMillis?: number }
  ) => Promise<SteeringProcess>
  readonly create: (strategy: string, options?: Parameters<typeof webDeployment>[1]) => Promise<void>
  readonly deployment: () => Promise<Deployment>
  readonly setImage: (image: string) => Promise<unknown>
  readonly annotate: (name: string, value: string | null) => Promise<unknown>
  readonly scale: (replicas: number) => Promise<unknown>
  /** Waits for a state of the Deployment; the text says what was waited for if it does not come. */
  readonly until: (what: string, holds: (deployment: Deployment) => boolean) => Promise<Deployment>
  readonly untilPods: (what: string, holds: (pods: ReadonlyArray<Pod>) => boolean) => Promise<void>
  /** The fewest Pods that were ready, and the most that were approved of one hash, since it was called. */
  readonly observe: () => Observation
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

interface Observation {
  readonly readyMin: () => number
  /** By pod-template-hash. */
  readonly approvedMax: (hash: string) => number
  /** Pods whose approval was taken back or given twice. */
  readonly approvedAgain: () => ReadonlyArray<string>
}

const waitMaxMillis = 60_000
let namespaces = 0

export const openSteeredNamespace = async (target: SteerTarget): Promise<SteeredNamespace> => {
  const { cluster } = target
  namespaces += 1
  const name = `steer-${process.pid}-${namespaces}`
  await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
  const address = { resource: "deployments.apps", name: "web", namespace: name } as const
  const processes: Array<SteeringProcess> = []
  const logs: Array<ReadonlyArray<Fields>> = []
  const stopController = new AbortController()
  const { signal } = stopController

  const leastRights = await target.steeringContext(name)

  const steer: SteeredNamespace["steer"] = async ({ aheadMillis = 0, ...options } = {}) => {
    // The Role of a Lease names it: another one takes more rights.
    const hasOwnLease = options.lease?.name !== undefined
    const proxy = await openFaultyProxy(hasOwnLease ? target.context : leastRights)
    const logged: Array<Fields> = []
    const waiting = new Set<() => void>()
    const steering = await startSteering({
      context: proxy.context,
      clock: target.makeClock({ aheadMillis }),
      identity: `process-${processes.length + 1}`,
      namespaces: [name],
      log: (level, message, fields) => {
        logged.push({ level, entry: message, ...fields })
        for (const wake of waiting) wake()
      },
      ...options,
      lease: { namespace: name, durations: target.durations, ...options.lease }
    })
    const untilLogged = (command: string, text: string): Promise<void> =>
      new Promise((resolve) => {
        const wake = (): void => {
          const isThere = logged.some(
            (it) =>
              (it["command"] === command || it["entry"] === command) && JSON.stringify(it).includes(text)
          )
          if (!isThere) return
          waiting.delete(wake)
          resolve()
        }
        waiting.add(wake)
        wake()
      })
    const process = { ...steering, proxy, untilLogged }
    logs.push(logged)
    processes.push(process)
    return process
  }
  const until = async <O extends KubeObject>(
    resource: "deployments.apps" | "pods",
    what: string,
    holds: (objects: ReadonlyArray<O>) => boolean
  ): Promise<ReadonlyArray<O>> => {
    const limit = AbortSignal.timeout(waitMaxMillis)
    const objects = new Map<string, O>()
    for await (const { type, object } of cluster.watch(resource, { namespace: name, signal: limit })) {
      if (type === "DELETED") objects.delete(object.metadata.name)
      else objects.set(object.metadata.name, object as O)
      if (holds([...objects.values()])) return [...objects.values()]
    }
    const lastLines = logs.flatMap((logged) => logged.slice(-15).map((it) => JSON.stringify(it)))
    throw new Error(
      [`${what} did not come`, ...Array.from(objects.values(), stateText), ...lastLines].join("\n")
    )
  }
  const patch = (fields: object) => cluster.patch(address, fields)
  return {
    name,
    leastRights,
    steer,
    create: async (strategy, options) => {
      const draft = webDeployment(strategy, options)
      await cluster.create({ ...draft, metadata: { ...draft.metadata, namespace: name } })
    },
    deployment: () => cluster.get(address),
    setImage: (image) => patch({ spec: { template: { spec: { containers: [{ name: "web", image }] } } } }),
    annotate: (annotation, value) =>
      patch({ metadata: { annotations: { [`charthouse.dev/${annotation}`]: value } } }),
    scale: (replicas) => patch({ spec: { replicas } }),
    until: async (what, holds) => {
      const [deployment] = await until<Deployment>(resources.deployments, what, (all) => all.some(holds))
      return deployment as Deployment
    },
    untilPods: async (what, holds) => {
      await until<Pod>("pods", what, (pods) => holds(pods.filter((it) => isPodActive(it))))
    },
    observe: () => {
      const pods = new Map<string, Pod>()
      const approvedMax = new Map<string, number>()
      const again = new Set<string>()
      let readyMin = Infinity
      const watch = async (): Promise<void> => {
        const initial = await cluster.list("pods", { namespace: name })
        for (const pod of initial.items) pods.set(pod.metadata.name, pod)
        const { resourceVersion } = initial
        count()
        for await (const { type, object } of cluster.watch("pods", {
          namespace: name,
          resourceVersion,
          signal
        })) {
          const pod = object as Pod
          const before = pods.get(pod.metadata.name)
          if (before !== undefined && isApproved(before) && !isApproved(pod)) again.add(pod.metadata.name)
          if (type === "DELETED") pods.delete(pod.metadata.name)
          else pods.set(pod.metadata.name, pod)
          count()
        }
      }
      const count = (): void => {
        const active = [...pods.values()].filter((it) => isPodActive(it))
        const ready = active.filter(
          ({ status }) => conditionOf(status.conditions, "Ready")?.status === "True"
        )
        readyMin = Math.min(readyMin, ready.length)
        for (const [hash, all] of Map.groupBy(active, hashOfPod)) {
          const approved = all.filter(isApproved).length
          approvedMax.set(hash, Math.max(approved, approvedMax.get(hash) ?? 0))
        }
      }
      void watch().catch(() => {})
      return {
        readyMin: () => readyMin,
        approvedMax: (hash) => approvedMax.get(hash) ?? 0,
        approvedAgain: () => [...again]
      }
    },
    [Symbol.asyncDispose]: async () => {
      stopController.abort()
      await Promise.all(
        processes.map(async (process) => {
          await process.kill()
          await process.proxy.close()
        })
      )
      await cluster.delete({ resource: "namespaces", name })
    }
  }
}

const stateText = (object: KubeObject): string => {
  const { name, annotations } = object.metadata
  return JSON.stringify({ name, annotations, status: (object as Partial<Pod>).status }).slice(0, 1500)
}

export const hashOfPod = ({ metadata }: Pod): string => metadata.labels?.[templateHashLabel] ?? ""

/** `REASON` of the condition `charthouse.dev/Steered`. */
export const steeredReason = ({ status }: Deployment): string =>
  conditionOf(status.conditions, "charthouse.dev/Steered")?.reason ?? "None"

/** The condition is about the present template. */
export const isSteeredAs =
  (reason: string, text = "") =>
  (deployment: Deployment): boolean => {
    const condition = conditionOf(deployment.status.conditions, "charthouse.dev/Steered")
    return condition?.reason === reason && (condition.message ?? "").includes(text)
  }
