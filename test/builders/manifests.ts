import { apiVersionOf } from "../../src/kubernetes/meta/kinds.ts"
import { kindNamed } from "./storedObjects.ts"
import type { Draft, PodTemplate } from "../../src/kubernetes/meta/objects.ts"

/** Objects as a client sends them to a cluster: no uid, no version, no status. */

type Metadata = Draft["metadata"]

/** An object with fields that a test may set freely. */
export interface LooseDraft extends Draft {
  readonly spec?: object
  readonly status?: object
  readonly data?: object
}

type WithSpec = Draft & { readonly spec: object }

/** An object of any kind with these fields, in namespace `default` if it needs one. */
export const aManifest = <Fields extends object = object>(
  kind: string,
  metadata: Metadata,
  fields?: Fields
): Draft & Fields => {
  const type = kindNamed(kind)
  const namespace = type.namespaced ? { namespace: metadata.namespace ?? "default" } : {}
  const draft: Draft = { apiVersion: apiVersionOf(type), kind, metadata: { ...metadata, ...namespace } }
  return { ...draft, ...fields } as Draft & Fields
}

export interface WorkloadManifest {
  readonly name?: string
  readonly namespace?: string
  readonly metadata?: Metadata
  /** The labels of the selector and of the Pods: the name of the app by default. */
  readonly labels?: Readonly<Record<string, string>>
  readonly replicas?: number
  /** The tag of the image. */
  readonly version?: string
  readonly spec?: object
  readonly podSpec?: object
  readonly container?: object
}

const workloadManifest =
  (kind: "Deployment" | "ReplicaSet") =>
  (options: WorkloadManifest): WithSpec => {
    const { name = "web", namespace = "default", replicas = 3, version = "v1" } = options
    const { labels = { app: name } } = options
    const containers = [{ name: "app", image: `registry.example/app:${version}`, ...options.container }]
    const template: PodTemplate = { metadata: { labels }, spec: { containers, ...options.podSpec } }
    return aManifest(
      kind,
      { name, namespace, ...options.metadata },
      { spec: { replicas, selector: { matchLabels: labels }, template, ...options.spec } }
    )
  }

/** A Deployment; `version` is the tag of its image. */
export const deploymentManifest = workloadManifest("Deployment")
/** A ReplicaSet without an owner; `version` is the tag of its image. */
export const replicaSetManifest = workloadManifest("ReplicaSet")

/** A Pod without an owner. */
export const podManifest = (name: string, spec: object = {}, metadata: Metadata = {}): WithSpec =>
  aManifest(
    "Pod",
    { name, ...metadata },
    { spec: { containers: [{ name: "app", image: "registry.example/app:v1" }], ...spec } }
  )

/** A Service of port 80 for the Pods of `web`. */
export const serviceManifest = (spec: object = {}, name = "web"): WithSpec =>
  aManifest("Service", { name }, { spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec } })

/** A PodDisruptionBudget for the Pods of `web`. */
export const budgetManifest = (spec: object, name = "web"): WithSpec =>
  aManifest("PodDisruptionBudget", { name }, { spec: { selector: { matchLabels: { app: "web" } }, ...spec } })

export const quotaManifest = (hard: Readonly<Record<string, string>>, name = "q"): WithSpec =>
  aManifest("ResourceQuota", { name }, { spec: { hard } })

/** A LimitRange for containers. */
export const limitRangeManifest = (item: object, name = "limits"): WithSpec =>
  aManifest("LimitRange", { name }, { spec: { limits: [{ type: "Container", ...item }] } })

export const namespaceManifest = (name: string, metadata: Metadata = {}): Draft =>
  aManifest("Namespace", { name, ...metadata })
