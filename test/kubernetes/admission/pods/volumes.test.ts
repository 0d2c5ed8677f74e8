import { describe, expect, it } from "vitest"
import { labelRule, podErrors, type ErrorRow } from "../drafts.ts"

const app = "spec.containers.0"
const mounts = "spec.containers[0].volumeMounts"

const volumes = (...list: ReadonlyArray<object>): ErrorRow["edits"] => [["spec.volumes", list]]
const withMounts = (...list: ReadonlyArray<object>): ErrorRow["edits"] => [
  ["spec.volumes", [{ name: "v" }]],
  [`${app}.volumeMounts`, list.map((mount, index) => ({ name: "v", mountPath: `/${index}`, ...mount }))]
]

describe("a volume (TestValidateVolumes)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "may have one of many sources",
      edits: volumes(
        { name: "a", secret: { secretName: "s" } },
        { name: "b", configMap: { name: "c" } },
        { name: "c", hostPath: { path: "/x" } },
        { name: "d", persistentVolumeClaim: { claimName: "p" } },
        { name: "e", projected: { sources: [] } }
      ),
      errors: []
    },
    {
      why: "may have modes up to 0777, which is octal",
      edits: volumes(
        { name: "a", secret: { secretName: "s", defaultMode: 0o777 } },
        { name: "b", configMap: { name: "c", defaultMode: 777 } },
        { name: "c", secret: { secretName: "s", items: [{ key: "k", path: "p", mode: -1 }] } }
      ),
      errors: [
        "spec.volumes[1].configMap.defaultMode: Invalid value: 777: must be a number between 0 and 0777 (octal), both inclusive",
        "spec.volumes[2].secret.items[0].mode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive"
      ]
    },
    {
      why: "requires the fields of its source",
      edits: volumes(
        { name: "a", secret: {} },
        { name: "b", configMap: { name: "" } },
        { name: "c", hostPath: {} },
        { name: "d", persistentVolumeClaim: {} }
      ),
      errors: [
        "spec.volumes[0].secret.secretName: Required value",
        "spec.volumes[1].configMap.name: Required value",
        "spec.volumes[2].hostPath.path: Required value",
        "spec.volumes[3].persistentVolumeClaim.claimName: Required value"
      ]
    },
    {
      why: "of a node is of a known type and leaves no folder",
      edits: volumes(
        { name: "a", hostPath: { path: "/a/../b", type: "Disk" } },
        { name: "b", nfs: { server: "", path: "exports" } }
      ),
      errors: [
        "spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
        'spec.volumes[0].hostPath.type: Unsupported value: "Disk": supported values: "", "BlockDevice", ' +
          '"CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
        "spec.volumes[1].nfs.server: Required value",
        'spec.volumes[1].nfs.path: Invalid value: "exports": must be an absolute path'
      ]
    },
    {
      why: "of the downward API shows one field in each file, reported without the index",
      edits: volumes({
        name: "a",
        downwardAPI: {
          items: [
            { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
            {
              path: "cpu",
              resourceFieldRef: { containerName: "app", resource: "limits.cpu", divisor: "1m" }
            },
            { path: "", fieldRef: { fieldPath: "status.podIP" } },
            { path: "memory", resourceFieldRef: { resource: "limits.memory" } },
            { path: "nothing" }
          ]
        }
      }),
      errors: [
        "spec.volumes[0].downwardAPI.path: Required value",
        'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "status.podIP": supported values: ' +
          '"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
        "spec.volumes[0].downwardAPI.resourceFieldRef.containerName: Required value",
        "spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required"
      ]
    },
    {
      why: "projects named sources, and tokens that live for ten minutes at least",
      edits: volumes({
        name: "a",
        projected: {
          sources: [
            { secret: { items: [{ key: "k", path: "p" }] } },
            { serviceAccountToken: { expirationSeconds: 599 } },
            { serviceAccountToken: { path: "t", expirationSeconds: 2 ** 32 + 1 } }
          ]
        }
      }),
      errors: [
        "spec.volumes[0].projected.sources[0].secret.name: Required value",
        "spec.volumes[0].projected.sources[1].serviceAccountToken.expirationSeconds: Invalid value: 599: " +
          "may not specify a duration less than 10 minutes",
        "spec.volumes[0].projected.path: Required value",
        "spec.volumes[0].projected.sources[2].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: " +
          "may not specify a duration larger than 2^32 seconds"
      ]
    },
    {
      why: "requires the key and the path of each file, which stays below the mount",
      edits: volumes(
        { name: "a", configMap: { name: "c", items: [{ key: "k" }, { path: "p" }] } },
        {
          name: "b",
          secret: {
            secretName: "s",
            items: ["/a", "a/../b", "..a"].map((path) => ({ key: "k", path }))
          }
        }
      ),
      errors: [
        "spec.volumes[0].configMap.items[0].path: Required value",
        "spec.volumes[0].configMap.items[1].key: Required value",
        'spec.volumes[1].secret.items[0].path: Invalid value: "/a": must be a relative path',
        "spec.volumes[1].secret.items[1].path: Invalid value: \"a/../b\": must not contain '..'",
        "spec.volumes[1].secret.items[2].path: Invalid value: \"..a\": must not start with '..'"
      ]
    },
    {
      why: "projects one file to each path",
      edits: volumes({
        name: "a",
        projected: {
          sources: [
            { configMap: { name: "c", items: [{ key: "a", path: "x" }] } },
            { secret: { name: "s", items: [{ key: "a", path: "x" }] } },
            { serviceAccountToken: { path: "x" } },
            { downwardAPI: { items: [{ path: "y", fieldRef: { fieldPath: "metadata.name" } }] } }
          ]
        }
      }),
      errors: [
        'spec.volumes[0].projected: Invalid value: "s": conflicting duplicate paths',
        'spec.volumes[0].projected: Invalid value: "x": conflicting duplicate paths'
      ]
    },
    {
      why: "validates only the first of two sources",
      edits: volumes({ name: "a", emptyDir: {}, secret: {} }),
      errors: ["spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type"]
    },
    {
      why: "requires a name, reported once",
      edits: volumes({ emptyDir: {} }, { name: "", emptyDir: {} }),
      errors: ["spec.volumes[0].name: Required value", "spec.volumes[1].name: Required value"]
    },
    {
      why: "with an invalid name cannot be mounted",
      edits: [
        ["spec.volumes", [{ name: "V" }, { name: "w", secret: {} }, { name: "w" }]],
        [`${app}.volumeMounts`, ["V", "w"].map((name) => ({ name, mountPath: `/${name}` }))]
      ],
      errors: [
        `spec.volumes[0].name: Invalid value: "V": ${labelRule}`,
        "spec.volumes[1].secret.secretName: Required value",
        `${mounts}[0].name: Not found: "V"`
      ]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})

describe("a mount (TestValidateVolumeMounts)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "may have a subPath",
      edits: withMounts({ subPath: "a/b" }, { subPathExpr: "$(POD)/..b" }, { subPath: "", subPathExpr: "" }),
      errors: []
    },
    {
      why: "requires a volume",
      edits: withMounts({ name: "" }),
      errors: [`${mounts}[0].name: Required value`, `${mounts}[0].name: Not found: ""`]
    },
    {
      why: "stays inside its volume, reported without the index",
      edits: withMounts({ subPath: "/a" }, { subPath: "a/../../b" }, { subPathExpr: "/.." }),
      errors: [
        `${mounts}.subPath: Invalid value: "/a": must be a relative path`,
        `${mounts}.subPath: Invalid value: "a/../../b": must not contain '..'`,
        `${mounts}.subPathExpr: Invalid value: "/..": must be a relative path`,
        `${mounts}.subPathExpr: Invalid value: "/..": must not contain '..'`
      ]
    },
    {
      why: "may have a subPath that ends with a slash",
      edits: withMounts({ subPath: "a/" }),
      errors: []
    },
    {
      why: "gives what it mounts back to the node only if the container is privileged",
      edits: [
        ...withMounts({ mountPropagation: "Bidirectional" }, { mountPropagation: "" }),
        ["spec.initContainers", [{ name: "i", image: "i", securityContext: { privileged: true } }]],
        [
          "spec.initContainers.0.volumeMounts",
          [{ name: "v", mountPath: "/i", mountPropagation: "Bidirectional" }]
        ]
      ],
      errors: [
        `${mounts}.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
        `${mounts}.mountPropagation: Unsupported value: "": supported values: "Bidirectional", "HostToContainer", "None"`
      ]
    },
    {
      why: "rejects both subPath and subPathExpr",
      edits: withMounts({ subPath: "a", subPathExpr: "b" }),
      errors: [`${mounts}[0].subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive`]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})
