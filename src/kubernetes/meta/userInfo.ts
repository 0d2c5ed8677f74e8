/** Source: authentication/v1/types.go (UserInfo). */
export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: ReadonlyArray<string>
  readonly extra?: Readonly<Record<string, ReadonlyArray<string>>>
}

export const authenticatedGroup = "system:authenticated"

/** The user of the server's own token, and of writes through the library. */
export const adminUser: UserInfo = {
  username: "charthouse-admin",
  groups: ["system:masters", authenticatedGroup]
}
