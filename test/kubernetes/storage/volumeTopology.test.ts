import { expect, it } from "vitest"
import { isInZoneOf, matchesTopologies } from "../../../src/kubernetes/storage/volumeTopology.ts"
import { aNode } from "../../builders.ts"

const zone = "topology.kubernetes.io/zone"
const betaZone = "failure-domain.beta.kubernetes.io/zone"

type Labels = Readonly<Record<string, string>>

it.each<[volumeLabels: Labels, nodeLabels: Labels, isThere: boolean]>([
  [{ [zone]: "a" }, { [zone]: "a" }, true],
  [{ [zone]: "a" }, { [zone]: "b" }, false],
  [{ [zone]: "a__b" }, { [zone]: "b" }, true],
  [{ [betaZone]: "a" }, { [zone]: "a" }, true],
  [{ [zone]: "a" }, { [betaZone]: "a" }, false],
  [{ [zone]: "a" }, {}, true],
  [{}, { [zone]: "a" }, true],
  // A label that names an empty zone is ignored.
  [{ [zone]: "" }, { [zone]: "a" }, true],
  [{ [zone]: "a__" }, { [zone]: "b" }, true],
  [{ [zone]: "a__", [betaZone]: "a" }, { [zone]: "b" }, false]
])("a volume labelled %j is in the zone of a node labelled %j: %j", (volumeLabels, labels, isThere) => {
  const volume = aNode({ labels: volumeLabels })
  expect(isInZoneOf(volume, aNode({ labels }))).toBe(isThere)
})

it.each<[values: ReadonlyArray<string>, labels: Labels, matches: boolean]>([
  [["a", "b"], { [zone]: "b" }, true],
  [["a"], { [zone]: "b" }, false],
  [[""], { [zone]: "" }, true],
  // A node without the label has none of the values, not even the empty one.
  [[""], {}, false]
])("a topology with the zones %j matches a node labelled %j: %j", (values, labels, matches) => {
  const terms = [{ matchLabelExpressions: [{ key: zone, values: [...values] }] }]
  expect(matchesTopologies(terms, aNode({ labels }))).toBe(matches)
})
