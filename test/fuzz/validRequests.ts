/** A request body that the server accepts, and the path for it. */
interface ValidRequest {
  readonly collection: string
  readonly name: string
  readonly object: object
}

const validRequest = (collection: string, rest: object, name = "web"): ValidRequest => ({
  collection,
  name,
  object: { metadata: { name }, ...rest }
})

const inDefault = "namespaces/default"
const labels = { app: "web" }
const pod = { metadata: { labels }, spec: { containers: [{ name: "app", image: "app:v1" }] } }
const selector = { matchLabels: labels }
const sized = { spec: { replicas: 2, selector, template: pod } }
const properties = { size: { type: "integer", default: 1 }, name: { type: "string", pattern: "^[a-z]+$" } }
const schema = { type: "object", properties: { spec: { type: "object", properties } } }
const definition = {
  spec: {
    group: "stable.example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", kind: "CronTab", shortNames: ["ct"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" }
        },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        schema: { openAPIV3Schema: schema }
      }
    ]
  }
}
const reference = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }

/** One body for each kind that the server validates or decodes by its type. */
export const validRequests: ReadonlyArray<ValidRequest> = [
  validRequest(`/api/v1/${inDefault}/configmaps`, { data: { a: "1" } }),
  validRequest(`/api/v1/${inDefault}/secrets`, { stringData: { a: "1" } }),
  validRequest(`/api/v1/${inDefault}/pods`, { metadata: { name: "web", labels }, spec: pod.spec }),
  validRequest(`/api/v1/${inDefault}/services`, { spec: { ports: [{ port: 80 }], selector: labels } }),
  validRequest(`/api/v1/${inDefault}/events`, {
    involvedObject: { kind: "Pod", name: "web" },
    reason: "So",
    type: "Normal"
  }),
  validRequest(`/api/v1/${inDefault}/resourcequotas`, { spec: { hard: { pods: "30" } } }),
  validRequest(`/api/v1/${inDefault}/limitranges`, {
    spec: { limits: [{ type: "Container", default: { cpu: "1" } }] }
  }),
  validRequest("/api/v1/namespaces", {}, "another"),
  validRequest("/api/v1/nodes", { spec: {} }, "node-9"),
  validRequest(`/apis/apps/v1/${inDefault}/deployments`, sized),
  validRequest(`/apis/apps/v1/${inDefault}/replicasets`, sized),
  validRequest(`/apis/policy/v1/${inDefault}/poddisruptionbudgets`, { spec: { minAvailable: 1, selector } }),
  validRequest(`/apis/autoscaling/v2/${inDefault}/horizontalpodautoscalers`, {
    spec: { scaleTargetRef: reference, maxReplicas: 5 }
  }),
  validRequest(
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    definition,
    "crontabs.stable.example.com"
  ),
  validRequest(`/apis/stable.example.com/v1/${inDefault}/crontabs`, { spec: { size: 3, name: "b" } }),
  validRequest("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    spec: { resourceAttributes: { verb: "get", resource: "pods" } }
  }),
  validRequest("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "x" } }),
  validRequest(`/api/v1/${inDefault}/pods/web/binding`, { target: { kind: "Node", name: "node-1" } }),
  validRequest(`/api/v1/${inDefault}/pods/web/eviction`, {})
]
