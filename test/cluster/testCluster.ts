import * as Effect from "effect/Effect"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { Cluster } from "../../src/cluster/cluster.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { ObjectAddress } from "../../src/cluster/calls/callOptions.ts"
import type { Ref } from "../../src/store/objectStore.ts"
import type { Draft, EventObject } from "../../src/kubernetes/meta/objects.ts"

export { deploymentManifest } from "../builders.ts"

export type ClusterService = Cluster["Service"]

export const withCluster = <A, E>(
  options: ClusterOptions,
  check: (cluster: ClusterService) => Effect.Effect<A, E>
): Promise<A> => Effect.runPromise(Effect.scoped(Effect.flatMap(Effect.orDie(makeCluster(options)), check)))

/** Replaces the Deployment's spec, as `kubectl replace` would. */
export const replaceSpec = (
  cluster: ClusterService,
  manifest: Draft & { readonly spec: object }
): Effect.Effect<void> =>
  Effect.orDie(
    Effect.asVoid(
      cluster.modify(
        { resource: resources.deployments, name: manifest.metadata.name ?? "" },
        (object) => ({ ...object, spec: manifest.spec }) as Draft
      )
    )
  )

/** The address of an object of the store. */
export const addressOf = <R extends string>({ resource, key }: Ref<R>): ObjectAddress<R> => {
  const [name = "", namespace] = key.split("/").reverse()
  return namespace === undefined ? { resource, name } : { resource, name, namespace }
}

export const createObject = (cluster: ClusterService, manifest: Draft): Effect.Effect<void> =>
  Effect.orDie(Effect.asVoid(cluster.create(manifest)))

export const advanceMillis = (cluster: ClusterService, millis: number): Effect.Effect<void> =>
  Effect.orDie(cluster.advance(millis))

export const advanceSeconds = (cluster: ClusterService, seconds: number): Effect.Effect<void> =>
  advanceMillis(cluster, seconds * 1000)

/** All changes as text, one per line, with names, uids and times. */
export const recordChanges = (cluster: ClusterService): Array<string> => {
  const lines: Array<string> = []
  cluster.onChange(({ type, resource, object, resourceVersion }) =>
    lines.push(
      `${cluster.view === undefined ? "" : resourceVersion} ${type} ${resource} ${JSON.stringify(object)}`
    )
  )
  return lines
}

export const eventTexts = (events: ReadonlyArray<EventObject>): ReadonlyArray<string> =>
  events.map(({ reason, message }) => `${reason}: ${message}`)
