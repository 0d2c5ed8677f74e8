import type { Explained } from "../explained.ts"

/** Patches and merges. */
export const patches: ReadonlyArray<Explained> = [
  {
    file: "src/kubernetes/policy/expectedScale.ts",
    why: "the same owner asked again says the same",
    changes: [
      ["if (seen.has(owner.uid)) continue", "false"],
      ["seen.add(owner.uid)", ";"]
    ]
  },
  {
    file: "src/kubernetes/apply/patches/strategicLists.ts",
    why: "the compiler asks: an element that is no map has no key, and has been refused for that",
    changes: [["if (!isFields(change)) throw wrongType({}, change)", "false"]]
  },
  {
    file: "src/kubernetes/apply/patches/strategicLists.ts",
    why: "the two are never equal",
    changes: [
      [
        "while (placed < others.length && placeOf(others[placed]) < placeOf(element)) {",
        "placeOf(others[placed]) <= placeOf(element)"
      ]
    ]
  },
  {
    file: "src/kubernetes/apply/patches/strategicMerge.ts",
    why: "nothing else is thrown but by mistake",
    changes: [["if (!(error instanceof Unmergeable)) throw error", "false"]]
  },
  {
    file: "src/kubernetes/apply/patches/strategicMerge.ts",
    why: "what is merged twice is as if merged once",
    changes: [["} else if (!Object.hasOwn(patch, `${orderPrefix}${key}`) || change === null) {", "true"]]
  },
  {
    file: "src/kubernetes/apply/patches/threeWayMerge.ts",
    why: "what is merged twice is as if merged once",
    changes: [
      [
        "for (const field of Object.keys(modified)) if (!Object.hasOwn(current, field)) mergeField(field)",
        "true"
      ]
    ]
  },
  {
    file: "src/kubernetes/apply/patches/threeWayMerge.ts",
    why: "the compiler asks: there are no maps in a set",
    changes: [['retainKeys: rule.type === "byKey" && rule.retainKeys', "true"]]
  },
  {
    file: "src/kubernetes/apply/patches/threeWayMerge.ts",
    why: "the two are never equal",
    changes: [
      [
        "while (positionOf(keys.serverOnly[placed]) < positionOf(key)) {",
        "positionOf(keys.serverOnly[placed]) <= positionOf(key)"
      ]
    ]
  },
  {
    file: "src/kubernetes/apply/patches/jsonPatches.ts",
    why: "the compiler asks: the library sets nothing in what is neither a map nor a list",
    changes: [['if (!Array.isArray(parent)) throw new Unapplicable("no such place")', "false", ";"]]
  },
  {
    file: "src/kubernetes/meta/fields.ts",
    why: "a field is set in a copy that is new and is copied again before anything else is changed in it",
    changes: [
      [
        "Object.defineProperty(fields, field, { value, enumerable: true, configurable: true, writable: true })",
        "false"
      ]
    ]
  }
]
