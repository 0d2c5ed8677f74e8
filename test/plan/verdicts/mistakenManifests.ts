export interface Shape {
  readonly name?: string
  readonly image?: string
  readonly replicas?: number
  /** Fields of the spec, of the Pods, and of their container. */
  readonly spec?: string
  readonly pod?: string
  readonly container?: string
  readonly selector?: string
  readonly labels?: string
}

export const web = ({
  name = "web",
  image = "app:2",
  replicas = 2,
  spec = "progressDeadlineSeconds: 60",
  pod = "dnsPolicy: Default",
  container = "tty: false",
  selector = "{ app: web }",
  labels = "{ app: web }"
}: Shape = {}) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: ${replicas}
  ${spec}
  selector: { matchLabels: ${selector} }
  template:
    metadata: { labels: ${labels} }
    spec:
      ${pod}
      containers:
        - { name: app, image: "${image}", ports: [{ name: http, containerPort: 8080 }], ${container} }
`
export const objectText = (apiVersion: string, kind: string, name: string, fields: string) =>
  `{ apiVersion: ${apiVersion}, kind: ${kind}, metadata: { name: ${name} }, ${fields} }`
export const service = (targetPort: string, app = "web") =>
  objectText(
    "v1",
    "Service",
    "web",
    `spec: { selector: { app: ${app} }, ports: [{ port: 80, targetPort: ${targetPort} }] }`
  )
export const httpProbe = (field: string, port: string, more = "") =>
  `${field}: { httpGet: { path: /${field}, port: ${port} }${more} }`
export const budget = (spec: string, labels = "{ app: web }") =>
  objectText(
    "policy/v1",
    "PodDisruptionBudget",
    "web",
    `spec: { ${spec}, selector: { matchLabels: ${labels} } }`
  )
export const autoscaler = objectText(
  "autoscaling/v2",
  "HorizontalPodAutoscaler",
  "web",
  "spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }, maxReplicas: 5, metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 80 } } }] }"
)
export const ingress = (name: string, port: number) =>
  objectText(
    "networking.k8s.io/v1",
    "Ingress",
    "web",
    `spec: { defaultBackend: { service: { name: ${name}, port: { number: ${port} } } } }`
  )
export const settings = objectText("v1", "ConfigMap", "settings", "data: { level: debug }")
export const claim = objectText(
  "v1",
  "PersistentVolumeClaim",
  "data",
  "spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }"
)
export const volumesOfClaim = "volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]"
export const envFromSettings = (key: string) =>
  `env: [{ name: LEVEL, valueFrom: { configMapKeyRef: { name: settings, key: ${key} } } }]`
/** Mounts a volume whose source has these fields. */
export const mountOf = (volume: string): Pick<Shape, "pod" | "container"> => ({
  pod: `volumes: [{ name: files, ${volume} }]`,
  container: "volumeMounts: [{ name: files, mountPath: /etc/app }]"
})
export const requests = "resources: { requests: { cpu: 100m } }"
