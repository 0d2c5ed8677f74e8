import { describe, expect, it } from "vitest"
import { aStore, run } from "../testStore.ts"
import { container, draftOf, podTemplate, storedAs, webhook } from "./anyKind.ts"
import type { LooseDraft } from "../../builders.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"

const statefulSpec = {
  selector: { matchLabels: { app: "a" } },
  serviceName: "a",
  template: { metadata: podTemplate.metadata, spec: { containers: [container] } }
}
const ingressSpec = { defaultBackend: { service: { name: "web", port: { number: 80 } } } }
const policySpec = {
  matchConstraints: { resourceRules: webhook.rules },
  validations: [{ expression: "true" }]
}

describe("metadata.generation", () => {
  it.each([
    {
      type: "apps/v1 StatefulSet",
      fields: { spec: statefulSpec },
      change: { spec: { ...statefulSpec, replicas: 2 } }
    },
    {
      type: "apps/v1 DaemonSet",
      fields: { spec: { selector: statefulSpec.selector, template: statefulSpec.template } },
      change: {
        spec: { selector: statefulSpec.selector, template: statefulSpec.template, minReadySeconds: 5 }
      }
    },
    {
      type: "batch/v1 CronJob",
      fields: { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: podTemplate } } } },
      change: { spec: { schedule: "0 * * * *", jobTemplate: { spec: { template: podTemplate } } } }
    },
    {
      type: "networking.k8s.io/v1 Ingress",
      fields: { spec: ingressSpec },
      change: { spec: { ...ingressSpec, ingressClassName: "nginx" } }
    },
    {
      type: "networking.k8s.io/v1 NetworkPolicy",
      fields: { spec: { podSelector: {} } },
      change: { spec: { podSelector: { matchLabels: { app: "a" } } } }
    },
    {
      type: "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",
      fields: { webhooks: [webhook] },
      change: { webhooks: [{ ...webhook, failurePolicy: "Ignore" }] }
    },
    {
      type: "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy",
      fields: { spec: policySpec },
      change: { spec: { ...policySpec, failurePolicy: "Ignore" } }
    },
    {
      type: "flowcontrol.apiserver.k8s.io/v1 FlowSchema",
      fields: { spec: { priorityLevelConfiguration: { name: "low" } } },
      change: { spec: { priorityLevelConfiguration: { name: "low" }, matchingPrecedence: 5 } }
    },
    {
      type: "storage.k8s.io/v1 CSIDriver",
      fields: { spec: {} },
      change: { spec: { podInfoOnMount: true } }
    }
  ])("of $type begins with 1 and rises with its content, not with its labels", ({ type, fields, change }) => {
    const { store } = aStore()
    const generationOf = ({ metadata }: KubeObject) => metadata.generation
    expect(generationOf(run(store.create(draftOf(type, fields))))).toBe(1)
    const labelled = { ...fields, metadata: { labels: { tier: "front" } } }
    expect(generationOf(run(store.update(draftOf(type, labelled))))).toBe(1)
    expect(generationOf(run(store.update(draftOf(type, change))))).toBe(2)
  })

  it.each(["v1 ConfigMap", "v1 Endpoints", "rbac.authorization.k8s.io/v1 Role"])(
    "is not set for %s",
    (type) => {
      expect(storedAs(type, {}).metadata).not.toHaveProperty("generation")
    }
  )

  it("of an EndpointSlice rises with its labels, too, as kube-proxy reads them", () => {
    const { store } = aStore()
    const type = "discovery.k8s.io/v1 EndpointSlice"
    const fields = { addressType: "IPv4", endpoints: [], ports: [] }
    const labelled = (labels: object, more: object) =>
      draftOf(type, { metadata: { labels }, ...fields, ...more })
    expect(run(store.create(labelled({ a: "1" }, {}))).metadata.generation).toBe(1)
    expect(run(store.update(labelled({ a: "2" }, {}))).metadata.generation).toBe(2)
    const endpoints = [{ addresses: ["10.0.0.1"] }]
    expect(run(store.update(labelled({ a: "2" }, { endpoints }))).metadata.generation).toBe(3)
    const annotated = { metadata: { labels: { a: "2" }, annotations: { b: "1" } }, ...fields, endpoints }
    expect(run(store.update(draftOf(type, annotated))).metadata.generation).toBe(3)
  })

  it("of a DaemonSet's template is an annotation that rises with the template only", () => {
    const { store } = aStore()
    const spec = { selector: statefulSpec.selector, template: statefulSpec.template }
    const numberOf = ({ metadata }: KubeObject) =>
      metadata.annotations?.["deprecated.daemonset.template.generation"]
    run(store.create(draftOf("apps/v1 DaemonSet", { spec })))
    const delayed = run(store.update(draftOf("apps/v1 DaemonSet", { spec: { ...spec, minReadySeconds: 5 } })))
    expect(numberOf(delayed)).toBe("1")
    const template = { ...spec.template, spec: { containers: [{ ...container, image: "x:2" }] } }
    expect(numberOf(run(store.update(draftOf("apps/v1 DaemonSet", { spec: { ...spec, template } }))))).toBe(
      "2"
    )
  })
})

describe("a status", () => {
  const sent = { phase: "Bound", replicas: 9, conditions: [] }

  it.each([
    { type: "batch/v1 Job", fields: { spec: { template: podTemplate } }, status: {} },
    {
      type: "apps/v1 StatefulSet",
      fields: { spec: statefulSpec },
      status: { replicas: 0, availableReplicas: 0 }
    },
    {
      type: "apps/v1 DaemonSet",
      fields: { spec: { selector: statefulSpec.selector, template: statefulSpec.template } },
      status: {
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0
      }
    },
    { type: "networking.k8s.io/v1 Ingress", fields: { spec: ingressSpec }, status: { loadBalancer: {} } },
    {
      type: "v1 PersistentVolumeClaim",
      fields: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
      status: { phase: "Pending" }
    },
    {
      type: "v1 PersistentVolume",
      fields: {
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/d" } }
      },
      status: { phase: "Pending", lastPhaseTransitionTime: "2026-01-01T00:00:00Z" }
    },
    {
      type: "storage.k8s.io/v1 VolumeAttachment",
      fields: { spec: { attacher: "csi", nodeName: "n", source: { persistentVolumeName: "pv" } } },
      status: { attached: false }
    },
    {
      type: "apiregistration.k8s.io/v1 APIService",
      fields: {
        metadata: { name: "v1.apps" },
        spec: { group: "apps", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 }
      },
      status: {
        conditions: [
          {
            type: "Available",
            status: "True",
            lastTransitionTime: "2026-01-01T00:00:00Z",
            reason: "Local",
            message: "Local APIServices are always available"
          }
        ]
      }
    }
  ])(
    "that a client creates $type with is not kept, nor one that it updates it with",
    ({ type, fields, status }) => {
      const { store } = aStore()
      const created = run(store.create(draftOf(type, { ...fields, status: sent })))
      expect(created).toHaveProperty("status", status)
      const update: LooseDraft = { ...created, status: sent }
      expect(run(store.update(update))).toHaveProperty("status", status)
    }
  )

  it("is all that a write of the sub-resource changes", () => {
    const { store } = aStore()
    run(store.create(draftOf("networking.k8s.io/v1 Ingress", { spec: ingressSpec })))
    const status = { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } }
    const written = run(
      store.updateStatus(draftOf("networking.k8s.io/v1 Ingress", { spec: { rules: [] }, status }))
    )
    expect(written).toMatchObject({ metadata: { generation: 1 }, spec: ingressSpec, status })
  })

  it("of a flow schema is written without its labels", () => {
    const { store } = aStore()
    const spec = { priorityLevelConfiguration: { name: "low" } }
    run(store.create(draftOf("flowcontrol.apiserver.k8s.io/v1 FlowSchema", { spec })))
    const status = { conditions: [{ type: "Dangling", status: "True" }] }
    const metadata = { labels: { tier: "front" } }
    const written = run(
      store.updateStatus(draftOf("flowcontrol.apiserver.k8s.io/v1 FlowSchema", { metadata, spec, status }))
    )
    expect(written).toHaveProperty("status", status)
    expect(written.metadata).not.toHaveProperty("labels")
  })

  it("of a volume tells when its phase changed", () => {
    const { store, clock } = aStore()
    const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/d" } }
    run(store.create(draftOf("v1 PersistentVolume", { spec })))
    clock.millis += 5000
    const available = draftOf("v1 PersistentVolume", { spec, status: { phase: "Available" } })
    expect(run(store.updateStatus(available))).toHaveProperty("status", {
      phase: "Available",
      lastPhaseTransitionTime: "2026-01-01T00:00:05Z"
    })
  })

  it("of a ServiceCIDR may be given at its creation, as its strategy clears none", () => {
    const created = storedAs("networking.k8s.io/v1 ServiceCIDR", {
      spec: { cidrs: ["10.0.0.0/24"] },
      status: { conditions: [] }
    })
    expect(created).toHaveProperty("status", { conditions: [] })
  })
})
