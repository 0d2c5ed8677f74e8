import { stringify } from "yaml"
import { leaseNameDefault, leaseNameOf } from "./steerOptions.ts"
import type { Shard } from "./steerOptions.ts"

export interface SteerManifestsOptions {
  readonly namespace: string
  readonly image: string
  /** The namespaces whose Deployments are steered; all by default, which needs a ClusterRole. */
  readonly namespaces?: ReadonlyArray<string> | undefined
  readonly shards?: number | undefined
  /** The path, in the image, of a module with further strategies. */
  readonly strategies?: string | undefined
  /** Only logs what steering would write, and has no rights to write. */
  readonly isShadow?: boolean | undefined
}

const controllerName = leaseNameDefault
const port = 8080

/**
 * The YAML that installs a steering controller. It grants only the rights that the controller uses: no Secrets, and
 * of Pods only their status.
 */
export const steerManifests = (options: SteerManifestsOptions): string =>
  manifestObjects(options)
    .map((object) => stringify(object, { lineWidth: 0 }))
    .join("---\n")

const manifestObjects = (options: SteerManifestsOptions): ReadonlyArray<object> => {
  const { namespace, namespaces, shards = 1, isShadow = false } = options
  const shardList = Array.from({ length: shards }, (_, index) =>
    shards === 1 ? undefined : { index, count: shards }
  )
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: controllerName, namespace } },
    ...(namespaces ?? [undefined]).flatMap((steeredNamespace) =>
      roleWithBinding({
        roleName: controllerName,
        namespace: steeredNamespace,
        rules: steeringRules(isShadow),
        accountNamespace: namespace
      })
    ),
    ...(isShadow
      ? []
      : roleWithBinding({
          roleName: `${controllerName}-lease`,
          namespace,
          rules: leaseRules(shardList),
          accountNamespace: namespace
        })),
    ...shardList.flatMap((shard) => [
      deploymentFor(options, shard),
      ...(isShadow ? [] : [disruptionBudgetFor(namespace, shard)])
    ])
  ]
}

interface PolicyRule {
  readonly apiGroups: ReadonlyArray<string>
  readonly resources: ReadonlyArray<string>
  readonly resourceNames?: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<string>
}

const readVerbs = ["get", "list", "watch"]

const steeringRules = (isShadow: boolean): ReadonlyArray<PolicyRule> => {
  const reads: ReadonlyArray<PolicyRule> = [
    { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: readVerbs },
    { apiGroups: [""], resources: ["pods", "services"], verbs: readVerbs },
    { apiGroups: ["batch"], resources: ["jobs"], verbs: readVerbs }
  ]
  if (isShadow) return reads
  return [
    ...reads,
    // Writes the record and an undo to the Deployment, and the mark of a complete revision to the ReplicaSet.
    { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: ["update"] },
    { apiGroups: ["apps"], resources: ["deployments/status"], verbs: ["update"] },
    { apiGroups: [""], resources: ["pods/status"], verbs: ["update"] },
    // Creates the Jobs of hooks, deletes those of rollouts that are over, and sets the preview Service's selector.
    { apiGroups: ["batch"], resources: ["jobs"], verbs: ["create", "delete"] },
    { apiGroups: [""], resources: ["services"], verbs: ["update"] },
    { apiGroups: [""], resources: ["events"], verbs: ["create", "get", "update"] }
  ]
}

const leaseRules = (shards: ReadonlyArray<Shard | undefined>): ReadonlyArray<PolicyRule> => {
  const lease = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] }
  return [
    { ...lease, verbs: ["create"] },
    {
      ...lease,
      resourceNames: shards.map((shard) => leaseNameOf({ shard })),
      verbs: ["get", "update"]
    }
  ]
}

const roleWithBinding = ({
  roleName,
  namespace,
  rules,
  accountNamespace
}: {
  readonly roleName: string
  /** Undefined for a ClusterRole. */
  readonly namespace: string | undefined
  readonly rules: ReadonlyArray<PolicyRule>
  readonly accountNamespace: string
}): ReadonlyArray<object> => {
  const apiVersion = "rbac.authorization.k8s.io/v1"
  const scope = namespace === undefined ? "Cluster" : ""
  const metadata = { name: roleName, ...(namespace === undefined ? {} : { namespace }) }
  return [
    { apiVersion, kind: `${scope}Role`, metadata, rules },
    {
      apiVersion,
      kind: `${scope}RoleBinding`,
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: `${scope}Role`, name: roleName },
      subjects: [{ kind: "ServiceAccount", name: controllerName, namespace: accountNamespace }]
    }
  ]
}

const labelsOf = (shard: Shard | undefined): Readonly<Record<string, string>> => ({
  "app.kubernetes.io/name": controllerName,
  ...(shard === undefined ? {} : { "charthouse.dev/shard": String(shard.index) })
})

const nameOf = (shard: Shard | undefined): string =>
  shard === undefined ? controllerName : `${controllerName}-${shard.index}`

const deploymentFor = (
  { namespace, image, namespaces, strategies, isShadow = false }: SteerManifestsOptions,
  shard: Shard | undefined
): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: nameOf(shard), namespace },
  spec: {
    // One leads; the other can take over at once.
    replicas: isShadow ? 1 : 2,
    selector: { matchLabels: labelsOf(shard) },
    template: {
      metadata: {
        labels: labelsOf(shard),
        annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": String(port) }
      },
      spec: {
        serviceAccountName: controllerName,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: "steer",
            image,
            args: [
              "steer",
              `--listen=0.0.0.0:${port}`,
              ...(namespaces === undefined ? [] : [`--namespaces=${namespaces.join(",")}`]),
              ...(shard === undefined ? [] : [`--shard=${shard.index}/${shard.count}`]),
              ...(strategies === undefined ? [] : [`--strategies=${strategies}`]),
              ...(isShadow ? ["--shadow"] : [])
            ],
            ports: [{ name: "http", containerPort: port }],
            livenessProbe: { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 20 },
            readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
            resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ["ALL"] }
            }
          }
        ]
      }
    }
  }
})

const disruptionBudgetFor = (namespace: string, shard: Shard | undefined): object => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: nameOf(shard), namespace },
  spec: { minAvailable: 1, selector: { matchLabels: labelsOf(shard) } }
})
