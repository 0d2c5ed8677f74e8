import type { Party } from "../schemas/faultFields.ts"

export const partyText = (party: Party): string => {
  if (party === "controllers") return "all controllers"
  if (party === "clients") return "clients from outside"
  return /er$|or$/.test(party) ? `the ${party}` : `the ${party} controller`
}

/** The verb's form after `partyText`. */
export const verbFor = (party: Party, singular: string, plural: string): string =>
  party === "controllers" || party === "clients" ? plural : singular
