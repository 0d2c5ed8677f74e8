import { describe } from "vitest"
import { refusesChange, refusesNew } from "../kindErrors.ts"
import { edited, labelRule } from "../../drafts.ts"
import type { LooseDraft } from "../../../../builders.ts"

const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
}
const aStatefulSet: LooseDraft = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db", namespace: "shop" },
  spec: {
    serviceName: "db",
    selector: { matchLabels: { app: "db" } },
    template: {
      metadata: { labels: { app: "db" } },
      spec: {
        containers: [{ name: "db", image: "postgres", volumeMounts: [{ name: "data", mountPath: "/data" }] }]
      }
    },
    volumeClaimTemplates: [claim]
  }
}
const strategy = "spec.updateStrategy"
const negative = (field: string) => `spec.${field}: Invalid value: -1: must be greater than or equal to 0`
const mismatch = "`selector` does not match template `labels`"

describe("a new StatefulSet", () => {
  refusesNew(aStatefulSet, [
    { why: "is valid, and mounts its claims", edits: [], errors: [] },
    { why: "needs no Service", edits: [["spec.serviceName", undefined]], errors: [] },
    {
      why: "has a name that can be part of a host name",
      edits: [["metadata.name", "db.shop"]],
      errors: ['metadata.name: Invalid value: "db.shop": must not contain dots']
    },
    {
      why: "has a Service with a name",
      edits: [["spec.serviceName", "DB"]],
      errors: [`spec.serviceName: Invalid value: "DB": ${labelRule}`]
    },
    {
      why: "starts its Pods by a policy that exists",
      edits: [["spec.podManagementPolicy", "Random"]],
      errors: ["spec.podManagementPolicy: Invalid value: \"Random\": must be 'OrderedReady' or 'Parallel'"]
    },
    {
      why: "is updated by a strategy that exists",
      edits: [[strategy, { type: "Recreate" }]],
      errors: [
        `${strategy}: Invalid value: {"Type":"Recreate","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`
      ]
    },
    {
      why: "has no rolling update if it is updated on deletion",
      edits: [[strategy, { type: "OnDelete", rollingUpdate: { partition: 1 } }]],
      errors: [
        `${strategy}.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for ` +
          "updateStrategy 'RollingUpdate'"
      ]
    },
    {
      why: "lets some Pods be unavailable in an update, or says nothing",
      edits: [[strategy, { type: "RollingUpdate", rollingUpdate: { partition: -1, maxUnavailable: 0 } }]],
      errors: [
        `${strategy}.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0`,
        `${strategy}.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0`
      ]
    },
    {
      why: "lets at most all Pods be unavailable",
      edits: [[strategy, { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "101%" } }]],
      errors: [
        `${strategy}.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%`
      ]
    },
    {
      why: "keeps claims by a policy that exists",
      edits: [["spec.persistentVolumeClaimRetentionPolicy", { whenDeleted: "Keep", whenScaled: "Delete" }]],
      errors: [
        'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: ' +
          '"Retain", "Delete"'
      ]
    },
    {
      why: "has no negative amounts",
      edits: [
        ["spec.replicas", -1],
        ["spec.minReadySeconds", -1],
        ["spec.ordinals", { start: -1 }]
      ],
      errors: ["replicas", "minReadySeconds", "ordinals.start"].map(negative)
    },
    {
      why: "needs a selector",
      edits: [["spec.selector", undefined]],
      errors: [
        "spec.selector: Required value",
        `spec.template.metadata.labels: Invalid value: {"app":"db"}: ${mismatch}`
      ]
    },
    {
      why: "does not select all Pods",
      edits: [["spec.selector", {}]],
      errors: ["spec.selector: Invalid value: {}: empty selector is invalid for statefulset"]
    },
    {
      why: "selects its own Pods",
      edits: [["spec.template.metadata.labels", { app: "cache" }]],
      errors: [`spec.template.metadata.labels: Invalid value: {"app":"cache"}: ${mismatch}`]
    },
    {
      why: "has Pods that always restart and have no deadline",
      edits: [
        ["spec.template.spec.restartPolicy", "Never"],
        ["spec.template.spec.activeDeadlineSeconds", 5]
      ],
      errors: [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported"
      ]
    },
    {
      why: "has containers with images",
      edits: [["spec.template.spec.containers.0.image", ""]],
      errors: ["spec.template.spec.containers[0].image: Required value"]
    },
    {
      why: "mounts claims that exist",
      edits: [["spec.volumeClaimTemplates", undefined]],
      errors: ['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"']
    },
    {
      why: "has claims that ask for an amount",
      edits: [["spec.volumeClaimTemplates.0.spec", {}]],
      errors: [
        "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
        "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value"
      ]
    }
  ])
})

describe("a stored StatefulSet", () => {
  const immutable =
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are " +
    "forbidden"

  refusesChange(aStatefulSet, [
    {
      why: "may change its size, its template and how it is updated",
      edits: [
        ["spec.replicas", 3],
        ["spec.minReadySeconds", 5],
        ["spec.revisionHistoryLimit", 2],
        ["spec.ordinals", { start: 1 }],
        ["spec.updateStrategy", { type: "OnDelete" }],
        ["spec.persistentVolumeClaimRetentionPolicy", { whenDeleted: "Delete", whenScaled: "Retain" }],
        ["spec.template.spec.containers.0.image", "postgres:17"]
      ],
      errors: []
    },
    { why: "keeps its Service", edits: [["spec.serviceName", "other"]], errors: [immutable] },
    { why: "keeps its policy", edits: [["spec.podManagementPolicy", "Parallel"]], errors: [immutable] },
    {
      why: "keeps its selector",
      edits: [
        ["spec.selector.matchLabels.tier", "a"],
        ["spec.template.metadata.labels.tier", "a"]
      ],
      errors: [immutable]
    },
    {
      why: "keeps its claims",
      edits: [["spec.volumeClaimTemplates.0.spec.resources.requests.storage", "2Gi"]],
      errors: [immutable]
    },
    {
      why: "may write the size of a claim in another way",
      edits: [["spec.volumeClaimTemplates.0.spec.resources.requests.storage", "1024Mi"]],
      errors: []
    }
  ])
  refusesChange(edited(aStatefulSet, ["spec.template.spec.containers", []], ["spec.serviceName", "DB"]), [
    {
      why: "that was invalid before the rules came may still be scaled",
      edits: [["spec.replicas", 3]],
      errors: []
    }
  ])
})
