import { describe } from "vitest"
import { aDraft, refusesChange, refusesNew } from "../kindErrors.ts"

const requirement = (key: string, ...values: ReadonlyArray<string>) => ({ key, values })

describe("a StorageClass", () => {
  const aClass = aDraft("StorageClass", "fast", {
    provisioner: "example.com/disk",
    parameters: { type: "ssd" }
  })

  refusesNew(aClass, [
    { why: "is valid", edits: [], errors: [] },
    { why: "needs a provisioner", edits: [["provisioner", ""]], errors: ["provisioner: Required value"] },
    {
      why: "has a provisioner with a name, and policies that exist",
      edits: [
        ["provisioner", "a/b/c"],
        ["reclaimPolicy", "Recycle"],
        ["volumeBindingMode", "Later"],
        ["parameters", { "": "a" }]
      ],
      errors: [
        "provisioner: Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric characters, '-', " +
          "'_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or " +
          "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS " +
          "subdomain prefix and '/' (e.g. 'example.com/MyName')",
        'parameters: Invalid value: "": field can not be empty.',
        'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
        'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"'
      ]
    },
    {
      why: "has parameters of as many bytes as are allowed",
      edits: [["parameters", { type: "é".repeat(128 * 1024 - 2) }]],
      errors: []
    },
    {
      why: "has no parameters of more bytes, whatever their characters",
      edits: [["parameters", { type: "é".repeat(128 * 1024 - 1) }]],
      errors: ["parameters: Too long: may not be more than 262144 bytes"]
    },
    {
      why: "is allowed in places that are named",
      edits: [["allowedTopologies", [{ matchLabelExpressions: [{ key: "zone" }] }]]],
      errors: ["allowedTopologies[0].matchLabelExpressions[0].values: Required value"]
    },
    {
      why: "names a label of a place once, and each of its values once",
      edits: [
        [
          "allowedTopologies",
          [{ matchLabelExpressions: [requirement("zone", "a", "b", "a"), requirement("zone", "c")] }]
        ]
      ],
      errors: [
        'allowedTopologies[0].matchLabelExpressions[0].values[2]: Duplicate value: "a"',
        'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"'
      ]
    },
    {
      why: "names each place once, in whatever order",
      edits: [
        [
          "allowedTopologies",
          [
            { matchLabelExpressions: [requirement("zone", "a", "b"), requirement("rack", "1")] },
            { matchLabelExpressions: [requirement("zone", "a"), requirement("rack", "1")] },
            { matchLabelExpressions: [requirement("rack", "1"), requirement("zone", "b", "a")] }
          ]
        ]
      ],
      errors: ['allowedTopologies[2].matchLabelExpressions: Duplicate value: ""']
    },
    {
      why: "says something of each place",
      edits: [["allowedTopologies", [{}]]],
      errors: ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""']
    }
  ])
  refusesChange(aClass, [
    { why: "may allow growth", edits: [["allowVolumeExpansion", true]], errors: [] },
    {
      why: "keeps what its volumes were made by",
      edits: [
        ["parameters.type", "hdd"],
        ["provisioner", "example.com/tape"],
        ["reclaimPolicy", "Retain"],
        ["volumeBindingMode", "WaitForFirstConsumer"]
      ],
      errors: [
        "parameters: Forbidden: updates to parameters are forbidden.",
        "provisioner: Forbidden: updates to provisioner are forbidden.",
        "reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.",
        'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable'
      ]
    }
  ])
})

describe("a VolumeAttributesClass", () => {
  const aClass = aDraft("VolumeAttributesClass", "gold", {
    driverName: "example.com",
    parameters: { iops: "9" }
  })

  refusesNew(aClass, [
    {
      why: "has a driver and parameters",
      edits: [
        ["driverName", "example.com"],
        ["parameters", {}]
      ],
      errors: ["parameters: Required value: must contain at least one key/value pair"]
    }
  ])
  refusesChange(aClass, [
    {
      why: "keeps both",
      edits: [
        ["driverName", "example.org"],
        ["parameters.iops", "8"]
      ],
      errors: [
        "driverName: Forbidden: updates to driverName are forbidden.",
        "parameters: Forbidden: updates to parameters are forbidden."
      ]
    }
  ])
})

describe("a VolumeAttachment", () => {
  const anAttachment = aDraft("VolumeAttachment", "a", {
    spec: { attacher: "example.com", nodeName: "node-1", source: { persistentVolumeName: "disk" } }
  })

  refusesNew(anAttachment, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "says by whom and what",
      edits: [["spec", { nodeName: "node-1" }]],
      errors: [
        "spec.attacher: Required value",
        "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName"
      ]
    },
    {
      why: "attaches one volume",
      edits: [["spec.source.inlineVolumeSpec", {}]],
      errors: [
        "spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName"
      ]
    }
  ])
  refusesChange(anAttachment, [
    {
      why: "is of one node for ever",
      edits: [["spec.nodeName", "node-2"]],
      errors: [
        'spec: Invalid value: {"attacher":"example.com","nodeName":"node-2","source":{"persistentVolumeName":"disk"}}: ' +
          "field is immutable"
      ]
    }
  ])
})

describe("a CSIDriver", () => {
  const aDriver = aDraft("CSIDriver", "example.com", {
    spec: { attachRequired: true, podInfoOnMount: false }
  })

  refusesNew(aDriver, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "has modes and policies that exist, and tokens of some minutes, one of each audience",
      edits: [
        ["spec.fsGroupPolicy", "Always"],
        ["spec.volumeLifecycleModes", ["Eternal"]],
        ["spec.tokenRequests", [{ audience: "a", expirationSeconds: 60 }, { audience: "a" }]]
      ],
      errors: [
        'spec.fsGroupPolicy: Unsupported value: "Always": supported values: "File", "None", "ReadWriteOnceWithFSType"',
        "spec.tokenRequests[0].expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes",
        'spec.tokenRequests[1].audience: Duplicate value: "a"',
        'spec.volumeLifecycleModes: Unsupported value: "Eternal": supported values: "Persistent", "Ephemeral"'
      ]
    }
  ])
  refusesChange(aDriver, [
    {
      why: "keeps how volumes are attached",
      edits: [["spec.attachRequired", false]],
      errors: ["spec.attachedRequired: Invalid value: false: field is immutable"]
    },
    {
      why: "may change what it is told of a Pod, and who owns the files",
      edits: [
        ["spec.podInfoOnMount", true],
        ["spec.fsGroupPolicy", "File"]
      ],
      errors: []
    }
  ])
})

describe("a CSINode", () => {
  const aNode = aDraft("CSINode", "node-1", { spec: { drivers: [{ name: "example.com", nodeID: "1" }] } })

  refusesNew(aNode, [
    {
      why: "has each driver once, with the node's name for it",
      edits: [["spec.drivers.1", { name: "example.com" }]],
      errors: [
        "spec.drivers[1].nodeID: Required value",
        'spec.drivers[1].name: Duplicate value: "example.com"'
      ]
    }
  ])
  refusesChange(aNode, [
    { why: "may hold more volumes", edits: [["spec.drivers.0.allocatable", { count: 9 }]], errors: [] },
    {
      why: "keeps the names of its drivers for it",
      edits: [["spec.drivers.0.nodeID", "2"]],
      errors: ['CSINodeDriver: Invalid value: {"name":"example.com","nodeID":"2"}: field is immutable']
    }
  ])
})
