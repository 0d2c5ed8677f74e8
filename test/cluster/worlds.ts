import * as Effect from "effect/Effect"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { Cluster } from "../../src/cluster/cluster.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Draft, EventObject } from "../../src/kubernetes/meta/objects.ts"

export type Living = Cluster["Service"]

/** Runs a story in a cluster of its own and closes it. */
export const inCluster = <A, E>(
  options: ClusterOptions,
  story: (cluster: Living) => Effect.Effect<A, E>
): Promise<A> => Effect.runPromise(Effect.scoped(Effect.flatMap(Effect.orDie(makeCluster(options)), story)))

/** A Deployment manifest; `version` is the tag of its image. */
export const aManifest = (options: {
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
export const change = (cluster: Living, manifest: Draft & { readonly spec: object }): Effect.Effect<void> =>
  Effect.orDie(
    Effect.asVoid(
      cluster.modify(
        { resource: resources.deployments, key: `default/${manifest.metadata.name}` },
        (object) => ({ ...object, spec: manifest.spec }) as Draft
      )
    )
  )

export const begin = (cluster: Living, manifest: Draft): Effect.Effect<void> =>
  Effect.orDie(Effect.asVoid(cluster.create(manifest)))

/** Everything that happened, one line a change, names and uids and times included. */
export const logOf = (cluster: Living): Array<string> => {
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
