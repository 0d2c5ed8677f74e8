import * as Effect from "effect/Effect"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { instant } from "../../src/behaviours/builtInBehaviours.ts"
import { isTerminating } from "../../src/kubernetes/meta/ownerReferences.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, begin, eventTexts, inCluster } from "../cluster/worlds.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { FaultHandle } from "../../src/faults/activeFaults.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { Living } from "../cluster/worlds.ts"

/** Whole seconds, so that what statuses tell is what has passed. */
const living: Behaviour = {
  ...instant,
  name: "told",
  pull: { delay: "2s" },
  start: "1s",
  ready: "1s",
  terminate: "3s"
}

export interface Told {
  readonly cluster: Living
  readonly pass: (seconds: number) => Effect.Effect<void>
  readonly strike: (fault: Fault) => Effect.Effect<FaultHandle>
  /** Why a fault cannot be. */
  readonly refusal: (fault: Fault) => Effect.Effect<string>
  /** All Pods by name, `web-1 Running ready x2`. */
  readonly pods: () => ReadonlyArray<string>
  readonly podsOf: (prefix?: string) => ReadonlyArray<Pod>
  readonly events: (pod: Pod | undefined) => Effect.Effect<ReadonlyArray<string>>
  readonly ready: (name?: string) => number
}

/** `web`, of three Pods where nothing else is said, has rolled out when the story begins. */
export const tell = <A, E>(
  options: {
    readonly manifest?: Parameters<typeof aManifest>[0]
    readonly behaviour?: Partial<Behaviour>
    readonly cluster?: ClusterOptions
  },
  story: (told: Told) => Effect.Effect<A, E>
): Promise<A> =>
  inCluster({ behaviour: { ...living, ...options.behaviour }, nodes: 3, ...options.cluster }, (cluster) =>
    Effect.gen(function* () {
      yield* begin(cluster, aManifest(options.manifest ?? {}))
      yield* Effect.orDie(cluster.rollout("web"))
      const pass = (seconds: number) => Effect.orDie(cluster.advance(seconds * 1000))
      yield* pass(60 - ((cluster.nowMillis() / 1000) % 60))
      return yield* story(toldOf(cluster, pass))
    })
  )

const toldOf = (cluster: Living, pass: Told["pass"]): Told => {
  const podsOf = (prefix = ""): ReadonlyArray<Pod> =>
    [...cluster.view.all(resources.pods)]
      .filter(({ metadata }) => metadata.name.startsWith(prefix))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  return {
    cluster,
    pass,
    podsOf,
    pods: () => podsOf().map(textOf),
    strike: (fault) => Effect.orDie(cluster.faults.begin(fault)),
    refusal: (fault) =>
      Effect.orDie(Effect.map(Effect.flip(cluster.faults.begin(fault)), (it) => it.message)),
    events: (pod) => Effect.map(cluster.events(pod?.metadata), eventTexts),
    ready: (name = "web") =>
      cluster.view.get(resources.deployments, `default/${name}`)?.status.readyReplicas ?? 0
  }
}

/** `Running ready x1 CrashLoopBackOff`: the phase and its reason, and what the first container does. */
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
