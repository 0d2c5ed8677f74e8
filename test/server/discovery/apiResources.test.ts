import { describe, expect, it } from "vitest"
import { discoveryDocument } from "../../../src/server/discovery/discoveryDocument.ts"
import { servedKinds } from "../../../src/kubernetes/meta/kinds.ts"

/**
 * What `kubectl api-resources -o wide` prints for release 1.36 with default flags.
 *
 * Source: api/discovery/*.json of kubernetes/kubernetes, without the versions that are off by default
 * (pkg/controlplane/instance.go, betaAPIGroupVersionsDisabledByDefault).
 */
const upstream = `
bindings                                            v1                               true  Binding                           create
componentstatuses                  cs               v1                               false ComponentStatus                   get,list
configmaps                         cm               v1                               true  ConfigMap                         *
endpoints                          ep               v1                               true  Endpoints                         *
events                             ev               v1                               true  Event                             *
limitranges                        limits           v1                               true  LimitRange                        *
namespaces                         ns               v1                               false Namespace                         create,delete,get,list,patch,update,watch
nodes                              no               v1                               false Node                              *
persistentvolumeclaims             pvc              v1                               true  PersistentVolumeClaim             *
persistentvolumes                  pv               v1                               false PersistentVolume                  *
pods                               po               v1                               true  Pod                               * all
podtemplates                                        v1                               true  PodTemplate                       *
replicationcontrollers             rc               v1                               true  ReplicationController             * all
resourcequotas                     quota            v1                               true  ResourceQuota                     *
secrets                                             v1                               true  Secret                            *
serviceaccounts                    sa               v1                               true  ServiceAccount                    *
services                           svc              v1                               true  Service                           * all
mutatingadmissionpolicies                           admissionregistration.k8s.io/v1  false MutatingAdmissionPolicy           * api-extensions
mutatingadmissionpolicybindings                     admissionregistration.k8s.io/v1  false MutatingAdmissionPolicyBinding    * api-extensions
mutatingwebhookconfigurations                       admissionregistration.k8s.io/v1  false MutatingWebhookConfiguration      * api-extensions
validatingadmissionpolicies                         admissionregistration.k8s.io/v1  false ValidatingAdmissionPolicy         * api-extensions
validatingadmissionpolicybindings                   admissionregistration.k8s.io/v1  false ValidatingAdmissionPolicyBinding  * api-extensions
validatingwebhookconfigurations                     admissionregistration.k8s.io/v1  false ValidatingWebhookConfiguration    * api-extensions
customresourcedefinitions          crd,crds         apiextensions.k8s.io/v1          false CustomResourceDefinition          * api-extensions
apiservices                                         apiregistration.k8s.io/v1        false APIService                        * api-extensions
controllerrevisions                                 apps/v1                          true  ControllerRevision                *
daemonsets                         ds               apps/v1                          true  DaemonSet                         * all
deployments                        deploy           apps/v1                          true  Deployment                        * all
replicasets                        rs               apps/v1                          true  ReplicaSet                        * all
statefulsets                       sts              apps/v1                          true  StatefulSet                       * all
selfsubjectreviews                                  authentication.k8s.io/v1         false SelfSubjectReview                 create
tokenreviews                                        authentication.k8s.io/v1         false TokenReview                       create
localsubjectaccessreviews                           authorization.k8s.io/v1          true  LocalSubjectAccessReview          create
selfsubjectaccessreviews                            authorization.k8s.io/v1          false SelfSubjectAccessReview           create
selfsubjectrulesreviews                             authorization.k8s.io/v1          false SelfSubjectRulesReview            create
subjectaccessreviews                                authorization.k8s.io/v1          false SubjectAccessReview               create
horizontalpodautoscalers           hpa              autoscaling/v2                   true  HorizontalPodAutoscaler           * all
cronjobs                           cj               batch/v1                         true  CronJob                           * all
jobs                                                batch/v1                         true  Job                               * all
certificatesigningrequests         csr              certificates.k8s.io/v1           false CertificateSigningRequest         *
leases                                              coordination.k8s.io/v1           true  Lease                             *
endpointslices                                      discovery.k8s.io/v1              true  EndpointSlice                     *
events                             ev               events.k8s.io/v1                 true  Event                             *
flowschemas                                         flowcontrol.apiserver.k8s.io/v1  false FlowSchema                        *
prioritylevelconfigurations                         flowcontrol.apiserver.k8s.io/v1  false PriorityLevelConfiguration        *
ingressclasses                                      networking.k8s.io/v1             false IngressClass                      *
ingresses                          ing              networking.k8s.io/v1             true  Ingress                           *
ipaddresses                        ip               networking.k8s.io/v1             false IPAddress                         *
networkpolicies                    netpol           networking.k8s.io/v1             true  NetworkPolicy                     *
servicecidrs                                        networking.k8s.io/v1             false ServiceCIDR                       *
runtimeclasses                                      node.k8s.io/v1                   false RuntimeClass                      *
poddisruptionbudgets               pdb              policy/v1                        true  PodDisruptionBudget               *
clusterrolebindings                                 rbac.authorization.k8s.io/v1     false ClusterRoleBinding                *
clusterroles                                        rbac.authorization.k8s.io/v1     false ClusterRole                       *
rolebindings                                        rbac.authorization.k8s.io/v1     true  RoleBinding                       *
roles                                               rbac.authorization.k8s.io/v1     true  Role                              *
deviceclasses                                       resource.k8s.io/v1               false DeviceClass                       *
resourceclaims                                      resource.k8s.io/v1               true  ResourceClaim                     *
resourceclaimtemplates                              resource.k8s.io/v1               true  ResourceClaimTemplate             *
resourceslices                                      resource.k8s.io/v1               false ResourceSlice                     *
priorityclasses                    pc               scheduling.k8s.io/v1             false PriorityClass                     *
csidrivers                                          storage.k8s.io/v1                false CSIDriver                         *
csinodes                                            storage.k8s.io/v1                false CSINode                           *
csistoragecapacities                                storage.k8s.io/v1                true  CSIStorageCapacity                *
storageclasses                     sc               storage.k8s.io/v1                false StorageClass                      *
volumeattachments                                   storage.k8s.io/v1                false VolumeAttachment                  *
volumeattributesclasses            vac              storage.k8s.io/v1                false VolumeAttributesClass             *
`

/** What a metrics server and adapters of custom metrics add. */
const measured = `
metrics                                             external.metrics.k8s.io/v1beta1  true  ExternalMetricValueList           get
nodes                                               metrics.k8s.io/v1beta1           false NodeMetrics                       get,list
pods                                                custom.metrics.k8s.io/v1beta2    true  MetricValueList                   get
pods                                                metrics.k8s.io/v1beta1           true  PodMetrics                        get,list
`

const allVerbs = "create,delete,deletecollection,get,list,patch,update,watch"

interface Resources {
  readonly resources: ReadonlyArray<{
    readonly name: string
    readonly singularName: string
    readonly kind: string
    readonly namespaced: boolean
    readonly verbs: ReadonlyArray<string>
    readonly shortNames?: ReadonlyArray<string>
    readonly categories?: ReadonlyArray<string>
    readonly storageVersionHash?: string
  }>
}

interface Groups {
  readonly groups: ReadonlyArray<{ readonly preferredVersion: { readonly groupVersion: string } }>
}

const documentAt = (path: string): Resources & Groups => {
  const found = discoveryDocument(path, {
    accept: "application/json",
    kinds: servedKinds,
    serverAddress: "127.0.0.1:8001"
  })
  return JSON.parse(String(found?.body)) as Resources & Groups
}

const resourcesAt = (path: string) => documentAt(path).resources

/** Each group in its preferred version, as `kubectl api-resources` lists them. */
const versions = [
  "v1",
  ...documentAt("/apis").groups.map(({ preferredVersion }) => preferredVersion.groupVersion)
]
const pathOf = (version: string): string => (version === "v1" ? "/api/v1" : `/apis/${version}`)

const served = versions.flatMap((version) =>
  resourcesAt(pathOf(version))
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, shortNames = [], namespaced, kind, verbs, categories = [] }) => {
      const verbText = verbs.join(",")
      const shownVerbs = verbText === allVerbs ? "*" : verbText
      return [name, shortNames.join(","), version, namespaced, kind, shownVerbs, categories.join(",")]
        .filter((cell) => cell !== "")
        .join(" ")
    })
)

const lines = (text: string): ReadonlyArray<string> =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim().replaceAll(/ +/g, " "))

describe("kubectl api-resources -o wide", () => {
  it("lists the resources of release 1.36, with their names, verbs and categories", () => {
    expect(served.toSorted()).toEqual([...lines(upstream), ...lines(measured)].toSorted())
  })

  it("finds every kind by its singular name", () => {
    for (const version of versions) {
      for (const { name, kind, singularName } of resourcesAt(pathOf(version))) {
        expect(singularName).toBe(name.includes("/") ? "" : kind.toLowerCase())
      }
    }
  })

  it.each([
    { path: "/api/v1", hashes: { events: "r2yiGXH7wu8=", pods: "xPOwRZ+Yhw8=", configmaps: "qFsyl6wFWjQ=" } },
    { path: "/apis/batch/v1", hashes: { cronjobs: "sd5LIXh4Fjs=", jobs: "mudhfqk/qZY=" } },
    {
      path: "/apis/admissionregistration.k8s.io/v1",
      hashes: {
        mutatingadmissionpolicies: "mHCkTKpUTrE=",
        mutatingwebhookconfigurations: "Sqi0GUgDaX0=",
        validatingwebhookconfigurations: "B0wHjQmsGNk="
      }
    },
    { path: "/apis/apiregistration.k8s.io/v1", hashes: { apiservices: "InPBPD7+PqM=" } },
    {
      path: "/apis/storage.k8s.io/v1",
      hashes: {
        csidrivers: "hL6j/rwBV5w=",
        storageclasses: "K+m6uJwbjGY=",
        volumeattachments: "tJx/ezt6UDU="
      }
    },
    { path: "/apis/node.k8s.io/v1", hashes: { runtimeclasses: "WQTu1GL3T2Q=" } }
  ])("names the storage versions of $path by upstream's hashes", ({ path, hashes }) => {
    const found = Object.fromEntries(
      resourcesAt(path).map(({ name, storageVersionHash }) => [name, storageVersionHash])
    )
    expect(found).toMatchObject(hashes)
  })

  it("lists a subresource of status for the kinds that have one in release 1.36", () => {
    const found = versions.flatMap((version) =>
      resourcesAt(pathOf(version))
        .filter(({ name }) => name.includes("/status"))
        .map(({ name }) => name)
    )
    expect(found.toSorted()).toEqual([
      "apiservices/status",
      "certificatesigningrequests/status",
      "cronjobs/status",
      "customresourcedefinitions/status",
      "daemonsets/status",
      "deployments/status",
      "flowschemas/status",
      "horizontalpodautoscalers/status",
      "ingresses/status",
      "jobs/status",
      "namespaces/status",
      "nodes/status",
      "persistentvolumeclaims/status",
      "persistentvolumes/status",
      "poddisruptionbudgets/status",
      "pods/status",
      "prioritylevelconfigurations/status",
      "replicasets/status",
      "replicationcontrollers/status",
      "resourceclaims/status",
      "resourcequotas/status",
      "servicecidrs/status",
      "services/status",
      "statefulsets/status",
      "validatingadmissionpolicies/status",
      "volumeattachments/status"
    ])
  })
})
