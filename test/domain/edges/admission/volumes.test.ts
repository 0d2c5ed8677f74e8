import { describe, expect, it } from "vitest"
import { labelRule, podErrors, type ErrorRow } from "../../admission/drafts.ts"

const app = "spec.containers.0"
const mounts = "spec.containers[0].volumeMounts"

const volumes = (...given: ReadonlyArray<object>): ErrorRow["edits"] => [["spec.volumes", given]]
const mounted = (...given: ReadonlyArray<object>): ErrorRow["edits"] => [
  ["spec.volumes", [{ name: "v" }]],
  [`${app}.volumeMounts`, given.map((mount, index) => ({ name: "v", mountPath: `/${index}`, ...mount }))]
]

describe("a volume (TestValidateVolumes)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "is of one of many kinds",
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
      why: "names what it is made of",
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
      why: "is of the first kind, and not asked about a second",
      edits: volumes({ name: "a", emptyDir: {}, secret: {} }),
      errors: ["spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type"]
    },
    {
      why: "has a name, and is not told twice that it has none",
      edits: volumes({ emptyDir: {} }, { name: "", emptyDir: {} }),
      errors: ["spec.volumes[0].name: Required value", "spec.volumes[1].name: Required value"]
    },
    {
      why: "is not there where something is wrong with it",
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
      why: "may be of a part",
      edits: mounted({ subPath: "a/b" }, { subPathExpr: "$(POD)/..b" }, { subPath: "", subPathExpr: "" }),
      errors: []
    },
    {
      why: "names its volume",
      edits: mounted({ name: "" }),
      errors: [`${mounts}[0].name: Required value`, `${mounts}[0].name: Not found: ""`]
    },
    {
      why: "stays below its volume, and the place in the list is not told",
      edits: mounted({ subPath: "/a" }, { subPath: "a/../../b" }, { subPathExpr: "/.." }),
      errors: [
        `${mounts}.subPath: Invalid value: "/a": must be a relative path`,
        `${mounts}.subPath: Invalid value: "a/../../b": must not contain '..'`,
        `${mounts}.subPathExpr: Invalid value: "/..": must be a relative path`,
        `${mounts}.subPathExpr: Invalid value: "/..": must not contain '..'`
      ]
    },
    {
      why: "may end with a slash",
      edits: mounted({ subPath: "a/" }),
      errors: []
    },
    {
      why: "is of one part",
      edits: mounted({ subPath: "a", subPathExpr: "b" }),
      errors: [`${mounts}[0].subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive`]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})
