import type { Json, Reply } from "./testServer.ts"

export const deployments = "/apis/apps/v1/namespaces/default/deployments"
export const replicaSets = "/apis/apps/v1/namespaces/default/replicasets"
export const pods = "/api/v1/namespaces/default/pods"
export const configMaps = "/api/v1/namespaces/default/configmaps"

interface Parts {
  readonly name?: string
  readonly metadata?: object
  readonly spec?: object
  /** Fields of the Pod spec or Pod template's spec. */
  readonly pod?: object
}

const podSpec = { containers: [{ name: "app", image: "registry.example/app:v3" }] }

const workload =
  (kind: string) =>
  ({ name = "web", metadata = {}, spec = {}, pod = {} }: Parts = {}): Json => ({
    apiVersion: "apps/v1",
    kind,
    metadata: { name, ...metadata },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { ...podSpec, ...pod } },
      ...spec
    }
  })

export const aDeployment = workload("Deployment")
export const aReplicaSet = workload("ReplicaSet")

export const aPod = ({ name = "web-1", metadata = {}, pod = {} }: Parts = {}): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec: { ...podSpec, ...pod }
})

export const aConfigMap = (name: string, data: object = { key: "value" }, metadata: object = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data
})

export const patchType = {
  json: { "content-type": "application/json-patch+json" },
  merge: { "content-type": "application/merge-patch+json" },
  strategic: { "content-type": "application/strategic-merge-patch+json" },
  apply: { "content-type": "application/apply-patch+yaml" }
} as const

export const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }

/** Code, reason and message of a Status. */
export const statusSummary = ({ code, json }: Reply): object => ({
  code,
  reason: json.reason,
  message: json.message
})

export const namesIn = (reply: Reply): ReadonlyArray<string> =>
  reply.json.items.map(({ metadata }: Json) => metadata.name)
