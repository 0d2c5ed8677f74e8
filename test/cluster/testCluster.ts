import * as Effect from "effect/Effect"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { Cluster } from "../../src/cluster/cluster.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { ObjectAddress } from "../../src/cluster/callOptions.ts"
import type { Ref } from "../../src/store/objectStore.ts"
import type { Draft, EventObject } from "../../src/kubernetes/meta/objects.ts"

export type ClusterService = Cluster["Service"]

export const withCluster = <A, E>(
  options: ClusterOptions,
  check: (cluster: ClusterService) => Effect.Effect<A, E>
): Promise<A> => Effect.runPromise(Effect.scoped(Effect.flatMap(Effect.orDie(makeCluster(options)), check)))

/** A Deployment manifest; `version` is the tag of its image. */
export const deploymentManifest = (options: {
  readonly name?: string
  readonly replicas?: number
  readonly version?: string
  readonly spec?: object
  readonly podSpec?: object
  readonly container?: object
}): Draft & { readonly spec: object } => {
  const { name = "web", replicas = 3, version = "v1" } = options
  const labels = { app: name }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: "app", image: `registry.example/app:${version}`, ...options.container }],
          ...options.podSpec
        }
      },
      ...options.spec
    }
  }
}

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
