interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Request => ({
  method: "GET",
  path,
  headers
})
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" }
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const deployment = (name: string, spec: object): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec
})
const template = {
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "a", image: "a:1" }] }
}
const selector = { matchLabels: { app: "a" } }
const post = (path: string, body: unknown): Request => ({ method: "POST", path, body })
const patch = (path: string, type: string, body: unknown): Request => ({
  method: "PATCH",
  path,
  body,
  headers: { "content-type": `application/${type}` }
})
const web = `${deployments}/web`

/** Objects with one thing wrong each: the answers are the texts of validation. */
const wrongPodSpecs: ReadonlyArray<object> = [
  {},
  { containers: [] },
  { containers: [{}] },
  { containers: [{ name: "A_b", image: "" }] },
  {
    containers: [
      { name: "a", image: "a" },
      { name: "a", image: "a" }
    ]
  },
  {
    containers: [
      { name: "a", image: "a", ports: [{ containerPort: 70000 }, { name: "p", containerPort: 1 }] }
    ]
  },
  {
    containers: [
      {
        name: "a",
        image: "a",
        ports: [
          { name: "p", containerPort: 1 },
          { name: "p", containerPort: 2 }
        ]
      }
    ]
  },
  {
    containers: [{ name: "a", image: "a", env: [{ name: "1=" }, { name: "b", value: "1", valueFrom: {} }] }]
  },
  { containers: [{ name: "a", image: "a", resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }] },
  { containers: [{ name: "a", image: "a", resources: { requests: { cpu: "many" } } }] },
  { containers: [{ name: "a", image: "a", livenessProbe: { periodSeconds: -1 } }] },
  {
    containers: [{ name: "a", image: "a", readinessProbe: { httpGet: { path: "", port: "x y" }, exec: {} } }]
  },
  { containers: [{ name: "a", image: "a", lifecycle: { preStop: { sleep: { seconds: -1 } } } }] },
  { containers: [{ name: "a", image: "a", imagePullPolicy: "Sometimes" }] },
  { containers: [{ name: "a", image: "a", volumeMounts: [{ name: "v", mountPath: "/" }] }] },
  { containers: [{ name: "a", image: "a" }], volumes: [{ name: "v" }, { name: "v", emptyDir: {} }] },
  { containers: [{ name: "a", image: "a" }], restartPolicy: "Never" },
  { containers: [{ name: "a", image: "a" }], restartPolicy: "Perhaps" },
  { containers: [{ name: "a", image: "a" }], terminationGracePeriodSeconds: -1 },
  { containers: [{ name: "a", image: "a" }], nodeSelector: { "a b": "c" } },
  {
    containers: [{ name: "a", image: "a" }],
    tolerations: [{ operator: "Exists", value: "x" }, { key: "-" }]
  },
  {
    containers: [{ name: "a", image: "a" }],
    initContainers: [{ name: "a", image: "b", restartPolicy: "Never" }]
  },
  { containers: [{ name: "a", image: "a" }], dnsPolicy: "None", hostNetwork: "yes" },
  { containers: [{ name: "a", image: "a" }], priorityClassName: "absent", serviceAccountName: "absent" },
  { containers: "none" },
  { containers: [{ name: "a", image: "a" }], activeDeadlineSeconds: 0, unknownField: 1 },
  {
    containers: [{ name: "a", image: "a" }],
    affinity: { nodeAffinity: { x: 1 } },
    schedulingGates: [{ name: "" }]
  }
]
const wrongSpecs: ReadonlyArray<object> = [
  {},
  { template },
  { selector, template: { ...template, metadata: { labels: { app: "b" } } } },
  { selector: {}, template },
  {
    selector: {
      matchExpressions: [
        { key: "a", operator: "Near" },
        { key: "b", operator: "In" }
      ]
    },
    template
  },
  { selector, template, replicas: -1 },
  { selector, template, replicas: "3" },
  { selector, template, minReadySeconds: -1, revisionHistoryLimit: -2, progressDeadlineSeconds: 0 },
  { selector, template, minReadySeconds: 700, progressDeadlineSeconds: 600 },
  { selector, template, strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
  { selector, template, strategy: { type: "Unknown" } },
  { selector, template, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
  { selector, template, strategy: { rollingUpdate: { maxSurge: "x%", maxUnavailable: "120%" } } }
]

const wrongObjects: ReadonlyArray<readonly [string, object]> = [
  ["/api/v1/namespaces/default/services", { kind: "Service", metadata: { name: "A" }, spec: {} }],
  [
    "/api/v1/namespaces/default/services",
    { metadata: { name: "a" }, spec: { ports: [{ port: 0 }, { port: 1 }], clusterIP: "x" } }
  ],
  [
    "/api/v1/namespaces/default/services",
    { metadata: { name: "a" }, spec: { type: "Odd", ports: [{ port: 1 }] } }
  ],
  ["/api/v1/namespaces", { metadata: { name: "a.b" } }],
  ["/api/v1/namespaces", { metadata: {} }],
  ["/api/v1/namespaces/absent/configmaps", { metadata: { name: "a" } }],
  ["/api/v1/namespaces/default/configmaps", { metadata: { name: "a", namespace: "other" } }],
  [
    "/api/v1/namespaces/default/configmaps",
    { metadata: { name: "a", labels: { "-": "x".repeat(70) } }, data: { "a/b": "1" } }
  ],
  ["/api/v1/namespaces/default/configmaps", { metadata: { generateName: "made-" }, data: { a: 1 } }],
  [
    "/api/v1/namespaces/default/secrets",
    { metadata: { name: "s" }, data: { a: "not base64!" }, type: "Opaque" }
  ],
  [
    "/api/v1/namespaces/default/resourcequotas",
    { metadata: { name: "q" }, spec: { hard: { pods: "-1", x: "1" } } }
  ],
  [
    "/api/v1/namespaces/default/limitranges",
    {
      metadata: { name: "l" },
      spec: { limits: [{ type: "Odd" }, { type: "Container", min: { cpu: 2 }, max: { cpu: 1 } }] }
    }
  ],
  [
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    { metadata: { name: "b" }, spec: { minAvailable: 1, maxUnavailable: "200%" } }
  ],
  ["/apis/apps/v1/namespaces/default/replicasets", { metadata: { name: "r" }, spec: { replicas: -1 } }],
  ["/api/v1/nodes", { metadata: { name: "node-1" } }],
  ["/api/v1/nodes", { metadata: { name: "N" }, spec: { taints: [{ key: "a", effect: "Odd" }] } }],
  ["/api/v1/namespaces/default/events", { metadata: { name: "e" }, involvedObject: { namespace: "other" } }],
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    { metadata: { name: "a.b" }, spec: { group: "b", names: {}, scope: "Odd", versions: [] } }
  ],
  [
    "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    { metadata: { name: "c" }, spec: { request: "eA==", usages: ["odd"] } }
  ],
  [
    "/api/v1/namespaces/default/pods",
    { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "a" }], nodeName: "node-1" } }
  ]
]

const crd = {
  metadata: { name: "tabs.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "tabs", singular: "tab", kind: "Tab", shortNames: ["tb"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" }
        },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.replicas" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["replicas"],
                properties: {
                  replicas: { type: "integer", minimum: 1, maximum: 5, default: 2 },
                  name: { type: "string", pattern: "^a", maxLength: 3, enum: ["a", "ab"] },
                  list: { type: "array", maxItems: 1, items: { type: "string", format: "date" } }
                },
                "x-kubernetes-validations": [{ rule: "self.replicas > 0" }]
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true }
            }
          }
        }
      }
    ]
  }
}
const tabs = "/apis/example.com/v1/namespaces/default/tabs"

export const requests: ReadonlyArray<Request> = [
  ...[
    "/",
    "/api",
    "/apis",
    "/api/v1",
    "/apis/apps/v1",
    "/version",
    "/healthz",
    "/readyz?verbose",
    "/livez",
    "/nothing"
  ].map((path) => get(path)),
  get("/api", { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" }),
  get("/apis", { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" }),
  get("/openapi/v2"),
  get("/openapi/v3"),
  get("/openapi/v3/apis/apps/v1"),
  get("/openapi/v3/absent"),
  ...[
    "deployments",
    "replicasets",
    "deployments?limit=1",
    "deployments?labelSelector=app+in+(",
    "deployments?fieldSelector=x=y",
    "deployments?limit=x",
    "deployments?watch=1&resourceVersion=x",
    "deployments?continue=x",
    "deployments?resourceVersion=99999999",
    "odds"
  ].flatMap((it) => [
    get(`/apis/apps/v1/namespaces/default/${it}`),
    get(`/apis/apps/v1/namespaces/default/${it}`, table)
  ]),
  ...[
    "pods",
    "nodes",
    "namespaces",
    "services",
    "endpoints",
    "events",
    "resourcequotas",
    "limitranges",
    "configmaps",
    "secrets",
    "serviceaccounts",
    "persistentvolumeclaims"
  ].flatMap((it) => [get(`/api/v1/${it}`), get(`/api/v1/${it}`, table)]),
  get("/apis/events.k8s.io/v1/events", table),
  get("/apis/discovery.k8s.io/v1/endpointslices", table),
  get("/apis/policy/v1/poddisruptionbudgets", table),
  get("/apis/coordination.k8s.io/v1/leases", table),
  get(web),
  get(web, table),
  get(web, { accept: "application/yaml" }),
  get(web, { accept: "text/html" }),
  get(web, { accept: "application/vnd.kubernetes.protobuf" }),
  get(`${web}/scale`),
  get(`${web}/status`),
  get(`${web}/log`),
  get(`${deployments}/absent`),
  get(web, { "impersonate-user": "jane", "impersonate-group": "a" }),
  get(web, { "impersonate-group": "a" }),
  get(web, { authorization: "Bearer wrong" }),
  ...wrongSpecs.map((spec, index) => post(deployments, deployment(`wrong-${index}`, spec))),
  ...wrongPodSpecs.map((spec, index) =>
    post(deployments, deployment(`pods-${index}`, { selector, template: { ...template, spec } }))
  ),
  ...wrongPodSpecs.map((spec, index) =>
    post("/api/v1/namespaces/default/pods?dryRun=All&fieldValidation=Strict", {
      metadata: { name: `p-${index}` },
      spec
    })
  ),
  ...wrongObjects.map(([path, body]) => post(path, body)),
  post(deployments, "{"),
  post(deployments, "[]"),
  post(deployments, "null"),
  post(deployments, { apiVersion: "v1", kind: "Pod" }),
  post(deployments, deployment("web", { selector, template })),
  post(`${deployments}?dryRun=Some`, deployment("a", { selector, template })),
  post(`${deployments}?fieldValidation=Strict`, {
    ...deployment("strict", { selector, template, odd: 1 }),
    more: 2
  }),
  post(`${deployments}?fieldValidation=Warn`, {
    ...deployment("warned", { selector, template, odd: 1 }),
    more: 2
  }),
  post(`${deployments}?fieldValidation=Odd`, deployment("a", { selector, template })),
  {
    ...post(deployments, "apiVersion: apps/v1\nkind: Deployment\nkind: Twice\n"),
    headers: { "content-type": "application/yaml" }
  },
  { ...post(deployments, "x"), headers: { "content-type": "text/plain" } },
  { ...post(deployments, "x"), headers: { "content-type": "application/vnd.kubernetes.protobuf" } },
  { method: "PUT", path: web, body: deployment("web", { selector, template }) },
  { method: "PUT", path: web, body: deployment("other", { selector, template }) },
  { method: "PUT", path: `${deployments}/absent`, body: deployment("absent", { selector, template }) },
  { method: "PUT", path: `${web}/scale`, body: { metadata: { name: "web" }, spec: { replicas: -1 } } },
  {
    method: "PUT",
    path: `${web}/scale`,
    body: { metadata: { name: "web", resourceVersion: "1" }, spec: { replicas: 4 } }
  },
  { method: "PUT", path: `${web}/scale`, body: { metadata: { name: "web" }, spec: { replicas: 4 } } },
  patch(web, "merge-patch+json", { spec: { replicas: 5 } }),
  patch(web, "merge-patch+json", { spec: { selector: { matchLabels: { app: "x" } } } }),
  patch(web, "merge-patch+json", { metadata: { resourceVersion: "1" } }),
  patch(web, "merge-patch+json", { metadata: { uid: "x" } }),
  patch(web, "merge-patch+json", []),
  patch(web, "strategic-merge-patch+json", {
    spec: { template: { spec: { containers: [{ name: "app", image: "registry.example/app:v2" }] } } }
  }),
  patch(web, "strategic-merge-patch+json", {
    spec: { template: { spec: { containers: [{ $patch: "odd", name: "app" }] } } }
  }),
  patch(web, "strategic-merge-patch+json", {
    $retainKeys: ["a"],
    spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } }
  }),
  patch(web, "json-patch+json", [{ op: "replace", path: "/spec/replicas", value: 3 }]),
  patch(web, "json-patch+json", [{ op: "test", path: "/spec/replicas", value: 9 }]),
  patch(web, "json-patch+json", [{ op: "odd", path: "/x" }]),
  patch(web, "json-patch+json", [{ op: "remove", path: "/spec/absent/deep" }]),
  patch(web, "json-patch+json", {}),
  patch(`${web}?fieldManager=me`, "apply-patch+yaml", deployment("web", { replicas: 2 })),
  patch(`${web}?fieldManager=other`, "apply-patch+yaml", deployment("web", { replicas: 7 })),
  patch(`${web}?fieldManager=other&force=true`, "apply-patch+yaml", deployment("web", { replicas: 7 })),
  patch(web, "apply-patch+yaml", deployment("web", { replicas: 7 })),
  patch(`${web}?force=true`, "merge-patch+json", {}),
  patch(web, "odd", {}),
  patch(`${web}/status`, "merge-patch+json", { status: { conditions: [{ type: "Odd", status: "True" }] } }),
  post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd),
  get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/tabs.example.com"),
  get("/apis/example.com/v1"),
  post(tabs, { metadata: { name: "one" }, spec: {} }),
  post(tabs, { metadata: { name: "two" }, spec: { replicas: 9, name: "xyzw", list: ["x", "y"], odd: 1 } }),
  post(`${tabs}?fieldValidation=Strict`, { metadata: { name: "three" }, spec: { odd: 1 } }),
  post(tabs, { metadata: { name: "four" } }),
  get(tabs, table),
  get(`${tabs}/one/scale`),
  patch(`${tabs}/one`, "strategic-merge-patch+json", { spec: { replicas: 3 } }),
  patch(`${tabs}/one`, "merge-patch+json", { spec: { replicas: 3 } }),
  post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    spec: { resourceAttributes: { verb: "get", resource: "pods" } }
  }),
  post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}),
  get("/charthouse/v1/clock"),
  get("/charthouse/v1/faults"),
  get("/charthouse/v1/odd"),
  post("/charthouse/v1/faults", { fault: "kill", pods: { deployment: "web", count: 1 } }),
  post("/charthouse/v1/faults", { fault: "kill", pod: {}, for: "x" }),
  post("/charthouse/v1/faults", { fault: "writesRefused", of: "clients", code: 409, times: 1 }),
  patch(web, "merge-patch+json", { metadata: { labels: { a: "b" } } }),
  post("/charthouse/v1/clock", { advance: "10s" }),
  { method: "PUT", path: "/charthouse/v1/clock", body: { speed: -1 } },
  get("/charthouse/v1/why?kind=deployment&name=web"),
  get("/charthouse/v1/why/deployments/default/web"),
  get("/charthouse/v1/recording"),
  get("/charthouse/v1/snapshot"),
  { method: "DELETE", path: `${deployments}/absent` },
  { method: "DELETE", path: web, body: { propagationPolicy: "Odd" } },
  { method: "DELETE", path: web, body: { preconditions: { uid: "x" } } },
  { method: "DELETE", path: `${web}?gracePeriodSeconds=-5` },
  { method: "DELETE", path: `${web}?propagationPolicy=Foreground` },
  { method: "DELETE", path: `${deployments}?labelSelector=app=a&dryRun=All` },
  { method: "DELETE", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/tabs.example.com" },
  { method: "DELETE", path: "/api/v1/namespaces/default" },
  { method: "OPTIONS", path: web },
  { method: "PATCH", path: deployments, body: {} },
  get("/api/v1/pods", table)
]
