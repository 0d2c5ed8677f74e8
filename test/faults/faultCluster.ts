import * as Effect from "effect/Effect"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { instant } from "../../src/behaviours/builtInBehaviours.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { deploymentManifest, createObject, eventTexts, withCluster } from "../cluster/testCluster.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { FaultHandle } from "../../src/faults/activeFaults.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

/** Whole seconds, since statuses have no fractions. */
const wholeSeconds: Behaviour = {
  ...instant,
  name: "told",
  pull: { delay: "2s" },
  start: "1s",
  ready: "1s",
  terminate: "3s"
}

export interface FaultCluster {
  readonly cluster: ClusterService
  readonly pass: (seconds: number) => Effect.Effect<void>
  readonly beginFault: (fault: Fault) => Effect.Effect<FaultHandle>
  /** The message with which a fault is refused. */
  readonly refusal: (fault: Fault) => Effect.Effect<string>
  /** The state of all Pods in the order of names: `Running ready x2`. */
  readonly pods: () => ReadonlyArray<string>
  readonly podsOf: (prefix?: string) => ReadonlyArray<Pod>
  readonly events: (pod: Pod | undefined) => Effect.Effect<ReadonlyArray<string>>
  readonly ready: (name?: string) => number
}

/** Runs `story` in a cluster whose Deployment `web` (3 Pods by default) has rolled out. */
export const inFaultCluster = <A, E>(
  options: {
    readonly manifest?: Parameters<typeof deploymentManifest>[0]
    readonly behaviour?: Partial<Behaviour>
    readonly cluster?: ClusterOptions
  },
  story: (fixture: FaultCluster) => Effect.Effect<A, E>
): Promise<A> =>
  withCluster(
    { behaviour: { ...wholeSeconds, ...options.behaviour }, nodes: 3, ...options.cluster },
    (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest(options.manifest ?? {}))
        yield* Effect.orDie(cluster.rollout("web"))
        const pass = (seconds: number) => Effect.orDie(cluster.advance(seconds * 1000))
        yield* pass(60 - ((cluster.nowMillis() / 1000) % 60))
        return yield* story(faultClusterOf(cluster, pass))
      })
  )

const faultClusterOf = (cluster: ClusterService, pass: FaultCluster["pass"]): FaultCluster => {
  const podsOf = (prefix = ""): ReadonlyArray<Pod> =>
    [...cluster.view.all(resources.pods)]
      .filter(({ metadata }) => metadata.name.startsWith(prefix))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  return {
    cluster,
    pass,
    podsOf,
    pods: () => podsOf().map(textOf),
    beginFault: (fault) => Effect.orDie(cluster.faultInjector.begin(fault)),
    refusal: (fault) =>
      Effect.orDie(Effect.map(Effect.flip(cluster.faultInjector.begin(fault)), (it) => it.message)),
    events: (pod) => Effect.map(cluster.events(pod?.metadata), eventTexts),
    ready: (name = "web") =>
      cluster.view.get(resources.deployments, `default/${name}`)?.status.readyReplicas ?? 0
  }
}

/** Phase and reason, readiness, restarts and waiting reason: `Running ready x1 CrashLoopBackOff`. */
export const textOf = (pod: Pod): string => {
  const { status } = pod
  const [container] = status.containerStatuses ?? []
  return [
    status.reason === undefined ? status.phase : `${status.phase} (${status.reason})`,
    ...(isTerminating(pod) ? ["terminating"] : []),
    ...(conditionOf(status.conditions, "Ready")?.status === "True" ? ["ready"] : []),
    ...(container?.restartCount ? [`x${container.restartCount}`] : []),
    ...(container?.state?.waiting === undefined ? [] : [container.state.waiting.reason])
  ].join(" ")
}
