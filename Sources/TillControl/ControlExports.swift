// Requests and answers consist of these values, so users of the contract need no further import.
@_exported import AppStoreTypes
@_exported import TillTypes
