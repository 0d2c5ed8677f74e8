import { describe, expect, it } from "vitest"
import { aStore, run } from "../testStore.ts"
import { container, draftOf, podTemplate, storedAs, webhook } from "./anyKind.ts"

const filledWebhook = {
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
  rules: [{ scope: "*" }],
  clientConfig: { service: { port: 443 } }
}

describe("a stored object has the defaults of its kind", () => {
  it.each([
    {
      type: "batch/v1 Job",
      fields: { spec: { template: podTemplate } },
      filled: {
        metadata: { labels: { app: "a", "job-name": "a" } },
        spec: {
          completions: 1,
          parallelism: 1,
          backoffLimit: 6,
          completionMode: "NonIndexed",
          suspend: false,
          manualSelector: false,
          podReplacementPolicy: "TerminatingOrFailed",
          template: {
            metadata: { labels: { app: "a", "job-name": "a", "batch.kubernetes.io/job-name": "a" } },
            spec: { dnsPolicy: "ClusterFirst", terminationGracePeriodSeconds: 30 }
          }
        }
      },
      why: "controllers read these fields through pointers"
    },
    {
      type: "batch/v1 Job",
      fields: { spec: { template: podTemplate, parallelism: 3 } },
      filled: { spec: { parallelism: 3 } },
      absent: ["spec.completions"],
      why: "a work queue has no number of completions"
    },
    {
      type: "batch/v1 Job",
      fields: {
        spec: { template: podTemplate, completionMode: "Indexed", completions: 2, backoffLimitPerIndex: 1 }
      },
      filled: { spec: { backoffLimit: 2_147_483_647 } },
      why: "each index has a limit of its own"
    },
    {
      type: "batch/v1 CronJob",
      fields: { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: podTemplate } } } },
      filled: {
        spec: {
          concurrencyPolicy: "Allow",
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
          jobTemplate: { spec: { template: { spec: { schedulerName: "default-scheduler" } } } }
        }
      },
      absent: ["spec.jobTemplate.spec.backoffLimit", "spec.jobTemplate.spec.selector"],
      why: "the Job gets its defaults when it is created"
    },
    {
      type: "apps/v1 StatefulSet",
      fields: {
        spec: {
          selector: { matchLabels: { app: "a" } },
          serviceName: "a",
          template: { ...podTemplate, spec: { containers: [container] } },
          volumeClaimTemplates: [
            {
              metadata: { name: "data" },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } }
            }
          ]
        }
      },
      filled: {
        spec: {
          replicas: 1,
          revisionHistoryLimit: 10,
          podManagementPolicy: "OrderedReady",
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
          template: { spec: { restartPolicy: "Always" } },
          volumeClaimTemplates: [
            {
              apiVersion: "v1",
              kind: "PersistentVolumeClaim",
              spec: { volumeMode: "Filesystem", resources: { requests: { storage: "1Gi" } } },
              status: { phase: "Pending" }
            }
          ]
        }
      },
      why: "claims of its Pods have the defaults of claims"
    },
    {
      type: "apps/v1 DaemonSet",
      fields: {
        spec: {
          selector: { matchLabels: { app: "a" } },
          template: { ...podTemplate, spec: { containers: [container] } }
        }
      },
      filled: {
        metadata: { annotations: { "deprecated.daemonset.template.generation": "1" } },
        spec: {
          revisionHistoryLimit: 10,
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }
        }
      },
      why: "one node after the other"
    },
    {
      type: "v1 ReplicationController",
      fields: { spec: { template: { ...podTemplate, spec: { containers: [container] } } } },
      filled: { metadata: { labels: { app: "a" } }, spec: { replicas: 1, selector: { app: "a" } } },
      why: "the selector is that of the template"
    },
    {
      type: "v1 PodTemplate",
      fields: { template: { ...podTemplate, spec: { containers: [container] } } },
      filled: {
        template: { spec: { restartPolicy: "Always", containers: [{ imagePullPolicy: "IfNotPresent" }] } }
      },
      why: "as the template of a Deployment"
    },
    {
      type: "v1 PodTemplate",
      fields: {
        template: {
          spec: {
            containers: [container],
            volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } }]
          }
        }
      },
      filled: {
        template: {
          spec: { volumes: [{ ephemeral: { volumeClaimTemplate: { spec: { volumeMode: "Filesystem" } } } }] }
        }
      },
      why: "the claim of a Pod's own volume is a claim"
    },
    {
      type: "storage.k8s.io/v1 StorageClass",
      fields: { provisioner: "example.com/disk" },
      filled: { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" },
      why: "provisioners read both"
    },
    {
      type: "storage.k8s.io/v1 CSIDriver",
      fields: { spec: { attachRequired: false } },
      filled: {
        spec: {
          attachRequired: false,
          podInfoOnMount: false,
          storageCapacity: false,
          fsGroupPolicy: "ReadWriteOnceWithFSType",
          volumeLifecycleModes: ["Persistent"],
          requiresRepublish: false,
          seLinuxMount: false
        }
      },
      why: "false is not missing"
    },
    {
      type: "v1 PersistentVolume",
      fields: {
        spec: { capacity: { storage: "1024Mi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/d" } }
      },
      filled: {
        spec: {
          capacity: { storage: "1Gi" },
          persistentVolumeReclaimPolicy: "Retain",
          volumeMode: "Filesystem",
          hostPath: { type: "" }
        }
      },
      why: "quantities are canonical"
    },
    {
      type: "v1 PersistentVolumeClaim",
      fields: {
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
          dataSource: { kind: "PersistentVolumeClaim", name: "old" }
        }
      },
      filled: {
        spec: { volumeMode: "Filesystem", dataSourceRef: { kind: "PersistentVolumeClaim", name: "old" } }
      },
      why: "new drivers read dataSourceRef only"
    },
    {
      type: "rbac.authorization.k8s.io/v1 RoleBinding",
      fields: {
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "ServiceAccount", name: "s", namespace: "shop" }
        ]
      },
      filled: {
        roleRef: { apiGroup: "rbac.authorization.k8s.io" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io" }, { kind: "ServiceAccount" }]
      },
      absent: ["subjects.1.apiGroup"],
      why: "service accounts belong to the core group"
    },
    {
      type: "networking.k8s.io/v1 NetworkPolicy",
      fields: { spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] } },
      filled: { spec: { policyTypes: ["Ingress", "Egress"], egress: [{ ports: [{ protocol: "TCP" }] }] } },
      why: "a policy with rules for outgoing traffic is about both"
    },
    {
      type: "networking.k8s.io/v1 IngressClass",
      fields: { spec: { controller: "example.com/c", parameters: { kind: "P", name: "p" } } },
      filled: { spec: { parameters: { scope: "Cluster" } } },
      why: "parameters are cluster-wide unless they say otherwise"
    },
    {
      type: "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",
      fields: { webhooks: [webhook] },
      filled: { webhooks: [filledWebhook] },
      absent: ["webhooks.0.reinvocationPolicy"],
      why: "only webhooks that change objects are called again"
    },
    {
      type: "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration",
      fields: { webhooks: [{ ...webhook, timeoutSeconds: 5 }] },
      filled: { webhooks: [{ ...filledWebhook, timeoutSeconds: 5, reinvocationPolicy: "Never" }] },
      why: "what the client gives stays"
    },
    {
      type: "flowcontrol.apiserver.k8s.io/v1 FlowSchema",
      fields: { spec: { priorityLevelConfiguration: { name: "low" }, matchingPrecedence: 0 } },
      filled: { spec: { matchingPrecedence: 1000 } },
      why: "0 counts as missing"
    },
    {
      type: "flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration",
      fields: {
        spec: {
          type: "Limited",
          limited: { nominalConcurrencyShares: 0, limitResponse: { type: "Queue", queuing: {} } }
        }
      },
      filled: {
        spec: {
          limited: {
            nominalConcurrencyShares: 0,
            lendablePercent: 0,
            limitResponse: { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } }
          }
        }
      },
      why: "no shares is a choice, no queues is not"
    },
    {
      type: "resource.k8s.io/v1 ResourceClaim",
      fields: { spec: { devices: { requests: [{ name: "g", exactly: { deviceClassName: "gpu" } }] } } },
      filled: { spec: { devices: { requests: [{ exactly: { allocationMode: "ExactCount", count: 1 } }] } } },
      why: "a request is for one device"
    },
    {
      type: "autoscaling/v2 HorizontalPodAutoscaler",
      fields: {
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
          behavior: { scaleDown: { stabilizationWindowSeconds: 60 } }
        }
      },
      filled: {
        spec: {
          behavior: {
            scaleUp: {
              stabilizationWindowSeconds: 0,
              selectPolicy: "Max",
              policies: [
                { type: "Pods", value: 4, periodSeconds: 15 },
                { type: "Percent", value: 100, periodSeconds: 15 }
              ]
            },
            scaleDown: {
              stabilizationWindowSeconds: 60,
              selectPolicy: "Max",
              policies: [{ type: "Percent", value: 100, periodSeconds: 15 }]
            }
          }
        }
      },
      why: "behaviour in one direction fills in the other"
    },
    {
      type: "v1 Endpoints",
      fields: { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] },
      filled: { subsets: [{ ports: [{ protocol: "TCP" }] }] },
      why: "the protocol of a Service's port, too"
    },
    {
      type: "discovery.k8s.io/v1 EndpointSlice",
      fields: { addressType: "IPv4", endpoints: [], ports: [{ port: 80 }] },
      filled: { ports: [{ name: "", protocol: "TCP" }] },
      why: "a port without a name has the empty one"
    }
  ])("$type: $why", ({ type, fields, filled, ...rest }) => {
    const object = storedAs(type, fields)
    expect(object).toMatchObject(filled)
    const absent = "absent" in rest ? rest.absent : []
    for (const path of absent) expect(object).not.toHaveProperty(path)
  })

  it("fills in nothing where nothing is missing: an update with the stored object writes nothing", () => {
    const { store, version } = aStore()
    const job = run(store.create(draftOf("batch/v1 Job", { spec: { template: podTemplate } })))
    const before = version()
    expect(run(store.update(job))).toBe(job)
    expect(version()).toBe(before)
  })
})

describe("fields of feature gates that are off", () => {
  it("are dropped from a CSIDriver", () => {
    const { store } = aStore()
    const type = "storage.k8s.io/v1 CSIDriver"
    const spec = { preventPodSchedulingIfMissing: true, podInfoOnMount: true }
    const created = run(store.create(draftOf(type, { spec })))
    expect(created).toMatchObject({ spec: { podInfoOnMount: true } })
    expect(created).not.toHaveProperty("spec.preventPodSchedulingIfMissing")
    const updated = run(store.update(draftOf(type, { spec })))
    expect(updated).not.toHaveProperty("spec.preventPodSchedulingIfMissing")
    expect(updated.metadata.generation).toBe(1)
  })

  it("are dropped from the devices of a ResourceSlice, the others stay", () => {
    const device = {
      name: "gpu-0",
      attributes: { model: { string: "x" }, links: { ints: [1, 2] } },
      capacity: { memory: { value: "8Gi" } },
      nodeAllocatableResourceMappings: { cpu: {} }
    }
    const pool = { name: "n1", generation: 1, resourceSliceCount: 1 }
    const slice = storedAs("resource.k8s.io/v1 ResourceSlice", {
      spec: { driver: "gpu.example.com", pool, nodeName: "n1", devices: [device, { name: "gpu-1" }] }
    })
    const { nodeAllocatableResourceMappings: _gated, ...kept } = device
    expect(slice).toHaveProperty("spec.devices", [
      { ...kept, attributes: { model: { string: "x" }, links: {} } },
      { name: "gpu-1" }
    ])
  })
})

describe("a Job's selector", () => {
  const uidLabel = "batch.kubernetes.io/controller-uid"

  it("is generated from its uid, in its template's labels too", () => {
    const job = storedAs("batch/v1 Job", { spec: { template: podTemplate } })
    const { uid } = job.metadata
    expect(job).toMatchObject({
      spec: {
        selector: { matchLabels: { [uidLabel]: uid } },
        template: { metadata: { labels: { [uidLabel]: uid, "controller-uid": uid } } }
      }
    })
  })

  it("is the client's with manualSelector", () => {
    const selector = { matchLabels: { app: "a" } }
    const job = storedAs("batch/v1 Job", { spec: { manualSelector: true, selector, template: podTemplate } })
    expect(job).toMatchObject({ spec: { selector, template: { metadata: { labels: { app: "a" } } } } })
    expect(job).not.toHaveProperty(["spec", "template", "metadata", "labels", "job-name"])
  })
})
