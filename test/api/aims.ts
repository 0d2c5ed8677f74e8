/** An object that a server takes, and where. */
interface Aim {
  readonly collection: string
  readonly name: string
  readonly object: object
}

const aim = (collection: string, rest: object, name = "web"): Aim => ({
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

/** One of each kind that the server reads more of than that it is an object. */
export const aims: ReadonlyArray<Aim> = [
  aim(`/api/v1/${inDefault}/configmaps`, { data: { a: "1" } }),
  aim(`/api/v1/${inDefault}/secrets`, { stringData: { a: "1" } }),
  aim(`/api/v1/${inDefault}/pods`, { metadata: { name: "web", labels }, spec: pod.spec }),
  aim(`/api/v1/${inDefault}/services`, { spec: { ports: [{ port: 80 }], selector: labels } }),
  aim(`/api/v1/${inDefault}/events`, {
    involvedObject: { kind: "Pod", name: "web" },
    reason: "So",
    type: "Normal"
  }),
  aim(`/api/v1/${inDefault}/resourcequotas`, { spec: { hard: { pods: "30" } } }),
  aim(`/api/v1/${inDefault}/limitranges`, {
    spec: { limits: [{ type: "Container", default: { cpu: "1" } }] }
  }),
  aim("/api/v1/namespaces", {}, "another"),
  aim("/api/v1/nodes", { spec: {} }, "node-9"),
  aim(`/apis/apps/v1/${inDefault}/deployments`, sized),
  aim(`/apis/apps/v1/${inDefault}/replicasets`, sized),
  aim(`/apis/policy/v1/${inDefault}/poddisruptionbudgets`, { spec: { minAvailable: 1, selector } }),
  aim(`/apis/autoscaling/v2/${inDefault}/horizontalpodautoscalers`, {
    spec: { scaleTargetRef: reference, maxReplicas: 5 }
  }),
  aim("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition, "crontabs.stable.example.com"),
  aim(`/apis/stable.example.com/v1/${inDefault}/crontabs`, { spec: { size: 3, name: "b" } }),
  aim("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    spec: { resourceAttributes: { verb: "get", resource: "pods" } }
  }),
  aim("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "x" } }),
  aim(`/api/v1/${inDefault}/pods/web/binding`, { target: { kind: "Node", name: "node-1" } }),
  aim(`/api/v1/${inDefault}/pods/web/eviction`, {})
]
