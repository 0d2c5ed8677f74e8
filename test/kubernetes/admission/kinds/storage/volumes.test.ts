import { describe } from "vitest"
import { aDraft, refusesChange, refusesNew } from "../kindErrors.ts"
import { edited, labelRule } from "../../drafts.ts"

const zone = {
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }] }
}
const aVolume = aDraft("PersistentVolume", "disk", {
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    hostPath: { path: "/data", type: "" }
  }
})
const modes = '"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
const source = (more: object) =>
  [
    ["spec.hostPath", undefined],
    ...Object.entries(more).map(([name, value]) => [`spec.${name}`, value] as const)
  ] as const

describe("a new PersistentVolume", () => {
  refusesNew(aVolume, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "has a size, modes and a source",
      edits: [["spec", {}]],
      errors: [
        "spec.accessModes: Required value",
        "spec.capacity: Required value",
        'spec.capacity: Unsupported value: null: supported values: "storage"',
        "spec: Required value: must specify a volume type"
      ]
    },
    {
      why: "has a capacity of storage only",
      edits: [["spec.capacity", { storage: "1Gi", cpu: "1" }]],
      errors: ['spec.capacity: Unsupported value: {"storage":"1Gi","cpu":"1"}: supported values: "storage"']
    },
    {
      why: "has a positive size",
      edits: [["spec.capacity.storage", "-1"]],
      errors: [
        "spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
        'spec.capacity[storage]: Invalid value: "-1": must be greater than zero'
      ]
    },
    {
      why: "has modes that exist",
      edits: [["spec.accessModes", ["ReadOnce"]]],
      errors: [`spec.accessModes: Unsupported value: "ReadOnce": supported values: ${modes}`]
    },
    {
      why: "is of one Pod or of many",
      edits: [["spec.accessModes", ["ReadWriteOncePod", "ReadWriteOnce"]]],
      errors: ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"]
    },
    {
      why: "is reclaimed, and seen, in a way that exists",
      edits: [
        ["spec.persistentVolumeReclaimPolicy", "Burn"],
        ["spec.volumeMode", "Tape"]
      ],
      errors: [
        'spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Recycle", "Retain"',
        'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'
      ]
    },
    {
      why: "does not wipe a whole host",
      edits: [
        ["spec.hostPath.path", "/"],
        ["spec.persistentVolumeReclaimPolicy", "Recycle"]
      ],
      errors: [
        "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"
      ]
    },
    {
      why: "has one source",
      edits: [["spec.nfs", { server: "a", path: "/" }]],
      errors: ["spec.nfs: Forbidden: may not specify more than 1 volume type"]
    },
    {
      why: "has a path of the host that leads down, of a type that exists",
      edits: [["spec.hostPath", { path: "/a/../b", type: "Folder" }]],
      errors: [
        "spec.hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
        'spec.hostPath.type: Unsupported value: "Folder": supported values: "", "BlockDevice", "CharDevice", ' +
          '"Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"'
      ]
    },
    {
      why: "has a server and an absolute path on it",
      edits: source({ nfs: { path: "a" } }),
      errors: [
        "spec.nfs.server: Required value",
        'spec.nfs.path: Invalid value: "a": must be an absolute path'
      ]
    },
    {
      why: "has the nodes on which it is, if it is local",
      edits: source({ local: {} }),
      errors: [
        "spec.local.path: Required value",
        "spec.nodeAffinity: Required value: Local volume requires node affinity"
      ]
    },
    {
      why: "may be local to nodes",
      edits: source({ local: { path: "/a" }, nodeAffinity: zone }),
      errors: []
    },
    {
      why: "has a driver and its handle",
      edits: source({ csi: { driver: "Disk_1", nodePublishSecretRef: { name: "a" } } }),
      errors: [
        'spec.csi.driver: Invalid value: "Disk_1": a lowercase RFC 1123 subdomain must consist of lower case ' +
          "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
          "'example.com', regex used for validation is " +
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        "spec.csi.volumeHandle: Required value",
        "spec.csi.nodePublishSecretRef.namespace: Required value"
      ]
    },
    {
      why: "has classes of attributes with a driver only",
      edits: [["spec.volumeAttributesClassName", ""]],
      errors: [
        "spec.volumeAttributesClassName: Required value: an empty string is disallowed",
        "spec.csi: Required value: has to be specified when using volumeAttributesClassName"
      ]
    },
    {
      why: "has terms for its nodes",
      edits: [["spec.nodeAffinity", {}]],
      errors: ["spec.nodeAffinity.required: Required value: must specify required node constraints"]
    },
    {
      why: "has valid terms for its nodes",
      edits: [
        [
          "spec.nodeAffinity.required.nodeSelectorTerms",
          [
            {
              matchExpressions: [
                { key: "a", operator: "In" },
                { key: "a", operator: "Exists", values: ["b"] },
                { key: "a", operator: "Gt", values: [] },
                { key: "a", operator: "Near" }
              ],
              matchFields: [
                { key: "metadata.name", operator: "In", values: ["a", "b"] },
                { key: "spec.taints", operator: "Exists" }
              ]
            }
          ]
        ]
      ],
      errors: [
        "matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        "matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        "matchExpressions[2].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        'matchExpressions[3].operator: Invalid value: "Near": not a valid selector operator',
        "matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node " +
          "field selector",
        'matchFields[1].operator: Invalid value: "Exists": not a valid selector operator',
        'matchFields[1].key: Invalid value: "spec.taints": not a valid field selector key'
      ].map((error) => `spec.nodeAffinity.required.nodeSelectorTerms[0].${error}`)
    },
    {
      why: "has nodes at all",
      edits: [["spec.nodeAffinity", { required: { nodeSelectorTerms: [] } }]],
      errors: [
        "spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term"
      ]
    }
  ])
})

describe("a stored PersistentVolume", () => {
  refusesChange(edited(aVolume, ["spec.nodeAffinity", zone]), [
    {
      why: "may grow, and change its class and how it is reclaimed",
      edits: [
        ["spec.capacity.storage", "2Gi"],
        ["spec.storageClassName", "fast"],
        ["spec.persistentVolumeReclaimPolicy", "Retain"],
        ["spec.claimRef", { name: "a", namespace: "b" }]
      ],
      errors: []
    },
    {
      why: "keeps its source",
      edits: [["spec.hostPath.path", "/other"]],
      errors: [
        "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n" +
          '- hostPath: {"path":"/data","type":""}\n+ hostPath: {"path":"/other","type":""}'
      ]
    },
    {
      why: "keeps its nodes and how it is seen",
      edits: [
        ["spec.nodeAffinity.required.nodeSelectorTerms.0.matchExpressions.0.values", ["b"]],
        ["spec.volumeMode", "Block"]
      ],
      errors: [
        'volumeMode: Invalid value: "Block": field is immutable',
        'nodeAffinity: Invalid value: {"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone",' +
          '"operator":"In","values":["b"]}]}]}}: field is immutable'
      ]
    }
  ])
  const csi = { driver: "example.com", volumeHandle: "1" }
  refusesChange(edited(aVolume, ["spec.hostPath", undefined], ["spec.csi", csi]), [
    {
      why: "may get the Secret for growing once",
      edits: [["spec.csi.controllerExpandSecretRef", { name: "a", namespace: "b" }]],
      errors: []
    }
  ])
})

const aClaim = aDraft("PersistentVolumeClaim", "data", {
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "2Gi" } },
    storageClassName: "standard",
    volumeMode: "Filesystem"
  }
})

describe("a new PersistentVolumeClaim", () => {
  refusesNew(aClaim, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "has modes and a size",
      edits: [["spec", {}]],
      errors: [
        "spec.accessModes: Required value: at least 1 access mode is required",
        "spec.resources[storage]: Required value"
      ]
    },
    {
      why: "asks for something",
      edits: [["spec.resources.requests.storage", "0"]],
      errors: ['spec.resources[storage]: Invalid value: "0": must be greater than zero']
    },
    {
      why: "has modes that exist and go together",
      edits: [["spec.accessModes", ["Always", "ReadWriteOncePod", "ReadWriteMany"]]],
      errors: [
        `spec.accessModes: Unsupported value: "Always": supported values: ${modes}`,
        "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"
      ]
    },
    {
      why: "is filled from a claim, or from something with a group",
      edits: [["spec.dataSource", { kind: "VolumeSnapshot" }]],
      errors: [
        "spec.dataSource.name: Required value",
        "spec.dataSource: Invalid value: \"VolumeSnapshot\": must be 'PersistentVolumeClaim' when referencing the " +
          "default apiGroup"
      ]
    },
    {
      why: "is filled from one source",
      edits: [
        ["spec.dataSource", { kind: "PersistentVolumeClaim", name: "a" }],
        ["spec.dataSourceRef", { kind: "PersistentVolumeClaim", name: "b" }]
      ],
      errors: ["spec: Invalid value: {}: must match dataSourceRef"]
    },
    {
      why: "is filled from another namespace by a reference alone",
      edits: [
        ["spec.dataSource", { kind: "PersistentVolumeClaim", name: "a" }],
        ["spec.dataSourceRef", { kind: "PersistentVolumeClaim", name: "a", namespace: "B" }]
      ],
      errors: [
        `spec.dataSourceRef.namespace: Invalid value: "B": ${labelRule}`,
        "spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified"
      ]
    }
  ])
})

const immutable =
  "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for " +
  "bound claims"

describe("a stored PersistentVolumeClaim", () => {
  const bound = edited(
    aClaim,
    ["spec.volumeName", "disk"],
    ["status", { phase: "Bound", capacity: { storage: "1Gi" } }]
  )
  const classless = edited(aClaim, ["spec.storageClassName", undefined])

  refusesChange(aClaim, [
    { why: "is bound to a volume once", edits: [["spec.volumeName", "disk"]], errors: [] },
    {
      why: "does not grow before it is bound",
      edits: [["spec.resources.requests.storage", "3Gi"]],
      errors: [
        `${immutable}\n- resources: {"requests":{"storage":"2Gi"}}\n+ resources: {"requests":{"storage":"3Gi"}}`
      ]
    },
    {
      why: "keeps its class and its mode",
      edits: [
        ["spec.storageClassName", "fast"],
        ["spec.volumeMode", "Block"]
      ],
      errors: [
        `${immutable}\n- storageClassName: "standard"\n+ storageClassName: "fast"\n- volumeMode: "Filesystem"\n` +
          '+ volumeMode: "Block"',
        'volumeMode: Invalid value: "Block": field is immutable'
      ]
    }
  ])
  refusesChange(classless, [
    { why: "may get the class of the cluster", edits: [["spec.storageClassName", "standard"]], errors: [] }
  ])
  refusesChange(bound, [
    { why: "may grow", edits: [["spec.resources.requests.storage", "3Gi"]], errors: [] },
    {
      why: "may ask for less than it asked for",
      edits: [["spec.resources.requests.storage", "1536Mi"]],
      errors: []
    },
    {
      why: "does not shrink below what it has",
      edits: [["spec.resources.requests.storage", "1Gi"]],
      errors: ["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"]
    },
    {
      why: "keeps its volume",
      edits: [["spec.volumeName", "other"]],
      errors: [`${immutable}\n- volumeName: "disk"\n+ volumeName: "other"`]
    }
  ])
  refusesChange(edited(bound, ["spec.volumeAttributesClassName", "gold"]), [
    {
      why: "may change its class of attributes",
      edits: [["spec.volumeAttributesClassName", "silver"]],
      errors: []
    },
    {
      why: "keeps a class of attributes",
      edits: [["spec.volumeAttributesClassName", ""]],
      errors: [
        "spec.volumeAttributesClassName: Forbidden: update from non-nil value to an empty string is forbidden"
      ]
    }
  ])
})
