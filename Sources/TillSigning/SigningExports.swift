// The OCSP responder uses the values of the control API as they are, and signed data is read with TillVerification, so
// every file that imports this module sees both, too.
@_exported import TillTypes
@_exported import TillVerification
