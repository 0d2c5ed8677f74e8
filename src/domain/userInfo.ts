/**
 * A user as the API tells of one; `uid` and `extra` are left out where the user has none.
 *
 * Source: staging/src/k8s.io/api/authentication/v1/types.go (UserInfo).
 */
export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: ReadonlyArray<string>
  readonly extra?: Readonly<Record<string, ReadonlyArray<string>>>
}

export const allAuthenticated = "system:authenticated"

/** The user that the server's token belongs to, and as whom programs of the library write. */
export const adminUser: UserInfo = {
  username: "charthouse-admin",
  groups: ["system:masters", allAuthenticated]
}
